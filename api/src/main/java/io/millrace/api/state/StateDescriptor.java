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
}
