package io.millrace.examples;

import io.millrace.api.DataStream;
import io.millrace.api.StreamEnvironment;
import io.millrace.api.function.Collector;
import io.millrace.api.process.KeyedBroadcastProcessFunction;
import io.millrace.api.process.RuntimeContext;
import io.millrace.api.state.ListState;
import io.millrace.api.state.ListStateDescriptor;
import io.millrace.api.state.MapStateDescriptor;
import io.millrace.api.time.WatermarkStrategy;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Applies rules to orders, as {@code TIME<TAB>CUSTOMER<TAB>CENTS<TAB>RULE} for each rule that an
 * order fulfils. Rules come and change while orders are processed: each has the time from which it
 * holds, and an order is judged by the rules at its own time.
 *
 * <p>{@code --orders} (20) are generated, one each 100 ms of event time. {@code --output DIR}
 * writes the lines to a directory instead of printing them.
 */
public final class BroadcastRules {
  /** The versions of all rules by {@code NAME@TIME}, in each subtask. */
  static final MapStateDescriptor<String, Rule> RULES = new MapStateDescriptor<>("rules");

  private BroadcastRules() {}

  /** An order of a customer. */
  record Order(long time, String customer, long cents) implements Serializable {
    private static final long serialVersionUID = 1L;

    static Order of(long index) {
      List<String> customers = List.of("ada", "bob", "eve");
      return new Order(index * 100, customers.get((int) (index % 3)), index * 37 % 100 * 10);
    }
  }

  /**
   * A version of a rule: from a time on, orders of this amount or more fulfil it.
   *
   * @param cents negative if the rule ends at this time
   */
  record Rule(long time, String name, long cents) implements Serializable {
    private static final long serialVersionUID = 1L;
  }

  public static void main(String[] args) {
    Arguments arguments = Arguments.parse(args, List.of("--orders", "--output"), List.of());
    StreamEnvironment env = StreamEnvironment.current();
    DataStream<Order> orders = env.generate(Order::of, arguments.positive("--orders", 20));
    DataStream<Rule> rules =
        env.fromElements(
            new Rule(0, "large", 800),
            new Rule(500, "notable", 500),
            new Rule(1_000, "large", 900),
            new Rule(1_500, "notable", -1));
    Results.deliver(env, judged(orders, rules), arguments, "broadcast rules");
  }

  static DataStream<String> judged(DataStream<Order> orders, DataStream<Rule> rules) {
    return orders
        .assignTimestampsAndWatermarks(WatermarkStrategy.forMonotonousTimestamps(Order::time))
        .keyBy(Order::customer)
        .connect(
            rules
                .assignTimestampsAndWatermarks(
                    WatermarkStrategy.forMonotonousTimestamps(Rule::time))
                .broadcast(RULES))
        .process(new Judge())
        .name("judge")
        .uid("judge");
  }

  /**
   * Keeps an order until event time has reached it: then all rules up to its time are known,
   * whichever of the streams is faster.
   */
  static final class Judge extends KeyedBroadcastProcessFunction<String, Order, Rule, String> {
    private static final long serialVersionUID = 1L;

    private transient ListState<Order> waiting;

    @Override
    public void open(RuntimeContext context) {
      waiting = context.listState(new ListStateDescriptor<>("waiting"));
    }

    @Override
    public void process(Order order, ReadOnlyContext<String> context, Collector<String> out) {
      waiting.add(order);
      context.timerService().registerEventTimeTimer(order.time());
    }

    /** Runs in all subtasks, so that all have the same rules. */
    @Override
    public void processBroadcast(Rule rule, Context<String> context, Collector<String> out) {
      context.broadcastState(RULES).put(rule.name() + "@" + rule.time(), rule);
    }

    @Override
    public void onTimer(long time, OnTimerContext<String> context, Collector<String> out) {
      List<Order> later = new ArrayList<>();
      for (Order order : waiting.values()) {
        if (order.time() > time) {
          later.add(order);
        } else {
          judge(order, context.broadcastState(RULES).entries().values(), out);
        }
      }
      waiting.update(later);
    }

    private static void judge(Order order, Iterable<Rule> versions, Collector<String> out) {
      Map<String, Rule> current = new TreeMap<>();
      for (Rule version : versions) {
        if (version.time() <= order.time()) {
          current.merge(
              version.name(), version, (one, other) -> one.time() > other.time() ? one : other);
        }
      }
      for (Rule rule : current.values()) {
        if (rule.cents() >= 0 && order.cents() >= rule.cents()) {
          out.emit(
              order.time() + "\t" + order.customer() + "\t" + order.cents() + "\t" + rule.name());
        }
      }
    }
  }
}
