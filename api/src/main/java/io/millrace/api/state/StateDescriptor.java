package io.millrace.api.state;

import java.io.Serializable;

/** Names a state of a function; the name is the same in every version of the program. */
public sealed interface StateDescriptor extends Serializable
    permits ValueStateDescriptor,
        ListStateDescriptor,
        MapStateDescriptor,
        ReducingStateDescriptor,
        AggregatingStateDescriptor {
  String name();
}
