package io.millrace.sim.tool;

import io.millrace.sim.Trace;
import io.millrace.sim.cluster.Outcome;
import io.millrace.sim.cluster.Run;
import io.millrace.sim.cluster.Wiring;
import io.millrace.sim.scenario.Kind;
import io.millrace.sim.scenario.Scenario;

public final class Sim {
  public static void main(String[] args) {
    if (args[0].equals("replay")) {
      Scenario s = Scenario.draw(Long.parseLong(args[1]), args.length > 2 ? Kind.of(args[2]) : Kind.turn(Long.parseLong(args[1])));
      s.lines().forEach(System.out::println);
      Outcome o = Run.of(s, new Wiring(), new TextTrace(System.out::println));
      System.out.println(o.violation());
      return;
    }
    long from = Long.parseLong(args[0]);
    long to = Long.parseLong(args[1]);
    int failed = 0;
    long t0 = System.nanoTime();
    long events = 0;
    java.util.Map<String,Integer> eff = new java.util.TreeMap<>();
    for (long seed = from; seed < to; seed++) {
      Kind kind = args.length > 2 ? Kind.of(args[2]) : Kind.turn(seed);
      Outcome o = Run.of(Scenario.draw(seed, kind), new Wiring(), new Trace());
      events += o.events();
      o.effective().forEach((k, n) -> eff.merge(k, n, Integer::sum));
      if (!o.passed()) {
        failed++;
        String how = o.violation().get().how();
        System.out.println(seed + " " + kind + " " + o.violation().get().sentence() + " | " + how.substring(0, Math.min(300, how.length())));
      }
    }
    System.out.println((to - from - failed) + " passed, " + failed + " failed; " + (to-from) / ((System.nanoTime() - t0) / 1e9) + "/s " + events/(to-from) + " " + eff);
  }
}
