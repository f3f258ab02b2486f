package io.millrace.api.state;

import java.io.Serializable;

/** Describes a state of a function. Its name must not change between versions of the program. */
public sealed interface StateDescriptor extends Serializable
    permits ValueStateDescriptor,
        ListStateDescriptor,
        MapStateDescriptor,
        ReducingStateDescriptor,
        AggregatingStateDescriptor {
  String name();

  /** The time to live; only keyed state can have one. */
  StateTtl ttl();
}
