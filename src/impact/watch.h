/*
  watch.h - the record of flows that search signals for their events (exact, restitution). Private to src/impact.
*/
#ifndef GRAZE_WATCH_H
#define GRAZE_WATCH_H

#include "exponents.h"
#include "flow_impl.h"

/* For SignalFindFall, ctx a Flow with a record: the signal is the gap y - y_s, or the force. */
void FlowWatchGap_Private(void *ctx, Signal *signal, const Look *before, const Look *now);
void FlowWatchForce_Private(void *ctx, Signal *signal, const Look *before, const Look *now);
/* The contact point is on the stop. */
void FlowWatchStop_Private(Flow flow);
/* Longest step of a search such that extremes are seen: 64 harmonics of the forcing at 4 looks each; 0, any, without a record. */
PetscReal FlowLongestLook_Private(Flow flow);

#endif
