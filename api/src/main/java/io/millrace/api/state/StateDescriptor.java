package io.millrace.api.state;

import java.io.Serializable;

/**
 * Describes a state of a function. Its name must not change between versions of the program.
 *
 * <pre>{@code
 * ValueStateDescriptor<Long> last = new ValueStateDescriptor<>("last");
 * ListStateDescriptor<Order> open = new ListStateDescriptor<>("open");
 * for (StateDescriptor state : List.of(last, open)) {
 *   System.out.println(state.name() + (state.ttl().expires() ? " expires" : " stays"));
 * }
 * }</pre>
 */
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
