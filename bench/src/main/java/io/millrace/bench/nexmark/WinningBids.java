package io.millrace.bench.nexmark;

import io.millrace.api.function.Collector;
import io.millrace.api.process.KeyedCoProcessFunction;
import io.millrace.api.process.RuntimeContext;
import io.millrace.api.state.ListState;
import io.millrace.api.state.ListStateDescriptor;
import io.millrace.api.state.ValueState;
import io.millrace.api.state.ValueStateDescriptor;
import io.millrace.bench.load.nexmark.Auction;
import io.millrace.bench.load.nexmark.Bid;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;

/**
 * Finds the highest bid of an auction between its begin and its end, both included; the earliest of
 * several. The result is emitted when event time reaches the end of the auction. An auction without
 * such a bid gives no result.
 *
 * <p>A bid that comes before its auction waits until event time reaches the bid: an auction that
 * comes later began after the bid.
 */
final class WinningBids<R> extends KeyedCoProcessFunction<Long, Auction, Bid, R> {
  private static final long serialVersionUID = 1L;

  interface Result<R> extends BiFunction<Auction, Bid, R>, Serializable {}

  private final Result<R> result;
  private transient ValueState<Auction> open;
  private transient ValueState<Bid> best;
  private transient ListState<Bid> early;

  WinningBids(Result<R> result) {
    this.result = result;
  }

  @Override
  public void open(RuntimeContext context) {
    open = context.state(new ValueStateDescriptor<>("auction"));
    best = context.state(new ValueStateDescriptor<>("best"));
    early = context.listState(new ListStateDescriptor<>("early"));
  }

  @Override
  public void process1(Auction auction, Context<Long> context, Collector<R> out) {
    open.update(auction);
    for (Bid bid : early.values()) {
      consider(auction, bid);
    }
    early.clear();
    context.timerService().registerEventTimeTimer(auction.expires);
  }

  @Override
  public void process2(Bid bid, Context<Long> context, Collector<R> out) {
    Auction auction = open.value();
    if (auction != null) {
      consider(auction, bid);
    } else {
      early.add(bid);
      context.timerService().registerEventTimeTimer(bid.dateTime);
    }
  }

  private void consider(Auction auction, Bid bid) {
    if (bid.dateTime < auction.dateTime || bid.dateTime > auction.expires) {
      return;
    }
    Bid before = best.value();
    if (before == null
        || bid.price > before.price
        || bid.price == before.price && bid.dateTime < before.dateTime) {
      best.update(bid);
    }
  }

  @Override
  public void onTimer(long time, OnTimerContext<Long> context, Collector<R> out) {
    Auction auction = open.value();
    if (auction == null) {
      dropEarlyBids(time);
    } else if (auction.expires == time) {
      Bid winner = best.value();
      if (winner != null) {
        out.emit(result.apply(auction, winner));
      }
      open.clear();
      best.clear();
    }
  }

  private void dropEarlyBids(long time) {
    List<Bid> later = new ArrayList<>();
    for (Bid bid : early.values()) {
      if (bid.dateTime > time) {
        later.add(bid);
      }
    }
    if (later.isEmpty()) {
      early.clear();
    } else {
      early.update(later);
    }
  }
}
