package io.millrace.bench.peers.flink;

import io.millrace.bench.load.nexmark.Auction;
import io.millrace.bench.load.nexmark.AuctionBids;
import io.millrace.bench.load.nexmark.Bid;
import io.millrace.bench.load.nexmark.ClosedAuction;
import io.millrace.bench.load.nexmark.NexmarkEvent;
import io.millrace.bench.load.nexmark.NexmarkResults.AuctionPrice;
import io.millrace.bench.load.nexmark.NexmarkResults.CategoryAverage;
import io.millrace.bench.load.nexmark.NexmarkResults.EuroBid;
import io.millrace.bench.load.nexmark.NexmarkResults.LocalItem;
import io.millrace.bench.load.nexmark.NexmarkResults.NewSeller;
import io.millrace.bench.load.nexmark.NexmarkSettings;
import io.millrace.bench.load.nexmark.Person;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.api.common.functions.CoGroupFunction;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.co.KeyedCoProcessFunction;
import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction;
import org.apache.flink.streaming.api.windowing.assigners.SlidingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.util.Collector;

/** The queries with the operators and functions of those in {@code io.millrace.bench.nexmark}. */
final class NexmarkQueries {
  private static final TypeInformation<Person> PERSON = Types.POJO(Person.class);
  private static final TypeInformation<Auction> AUCTION = Types.POJO(Auction.class);
  private static final TypeInformation<Bid> BID = Types.POJO(Bid.class);
  private static final Duration SIZE = Duration.ofSeconds(10);
  private static final Duration SLIDE = Duration.ofSeconds(2);
  private static final long RETENTION = 10_000;
  private static final long CATEGORY = 10;
  private static final Set<String> STATES = Set.of("OR", "ID", "CA");

  private NexmarkQueries() {}

  static DataStream<?> results(
      StreamExecutionEnvironment env, String query, NexmarkSettings settings) {
    boolean timed = !Set.of("q0", "q1", "q2").contains(query);
    DataStream<NexmarkEvent> events =
        env.fromSource(
            new NexmarkSource(settings, timed),
            timed ? WatermarkStrategy.forMonotonousTimestamps() : WatermarkStrategy.noWatermarks(),
            "events");
    return switch (query) {
      case "q0" -> bids(events);
      case "q1" -> bids(events).map(EuroBid::of).returns(TypeInformation.of(EuroBid.class));
      case "q2" ->
          bids(events)
              .filter(bid -> bid.auction % 123 == 0)
              .map(bid -> new AuctionPrice(bid.auction, bid.price))
              .returns(TypeInformation.of(AuctionPrice.class));
      case "q3" ->
          persons(events)
              .filter(person -> STATES.contains(person.state))
              .keyBy(person -> person.id, Types.LONG)
              .connect(
                  auctions(events)
                      .filter(auction -> auction.category == CATEGORY)
                      .keyBy(auction -> auction.seller, Types.LONG))
              .process(new LocalItems(), TypeInformation.of(LocalItem.class));
      case "q4" ->
          auctions(events)
              .keyBy(auction -> auction.id, Types.LONG)
              .connect(bids(events).keyBy(bid -> bid.auction, Types.LONG))
              .process(new WinningBids(), Types.POJO(ClosedAuction.class))
              .keyBy(closed -> closed.category, Types.LONG)
              .process(new Average(), TypeInformation.of(CategoryAverage.class));
      case "q5" ->
          bids(events)
              .keyBy(bid -> bid.auction, Types.LONG)
              .window(SlidingEventTimeWindows.of(SIZE, SLIDE))
              .aggregate(
                  new Count<>(),
                  new WindowCount(),
                  Types.LONG,
                  Types.LONG,
                  Types.POJO(AuctionBids.class))
              .windowAll(TumblingEventTimeWindows.of(SLIDE))
              .aggregate(
                  new MostBids(),
                  Types.LIST(Types.POJO(AuctionBids.class)),
                  Types.LIST(Types.POJO(AuctionBids.class)))
              .flatMap((List<AuctionBids> most, Collector<AuctionBids> out) -> most.forEach(out::collect))
              .returns(Types.POJO(AuctionBids.class))
              .setParallelism(1);
      case "q7" ->
          bids(events)
              .windowAll(TumblingEventTimeWindows.of(SIZE))
              .aggregate(new HighestBids(), Types.LIST(BID), Types.LIST(BID))
              .flatMap((List<Bid> highest, Collector<Bid> out) -> highest.forEach(out::collect))
              .returns(BID)
              .setParallelism(1);
      case "q8" ->
          persons(events)
              .coGroup(auctions(events))
              .where(person -> person.id, Types.LONG)
              .equalTo(auction -> auction.seller, Types.LONG)
              .window(TumblingEventTimeWindows.of(SIZE))
              .apply(new NewSellers(), TypeInformation.of(NewSeller.class));
      default -> throw new IllegalArgumentException("No query " + query);
    };
  }

  private static DataStream<Person> persons(DataStream<NexmarkEvent> events) {
    return events
        .filter(event -> event instanceof Person)
        .map(event -> (Person) event)
        .returns(PERSON);
  }

  private static DataStream<Auction> auctions(DataStream<NexmarkEvent> events) {
    return events
        .filter(event -> event instanceof Auction)
        .map(event -> (Auction) event)
        .returns(AUCTION);
  }

  private static DataStream<Bid> bids(DataStream<NexmarkEvent> events) {
    return events.filter(event -> event instanceof Bid).map(event -> (Bid) event).returns(BID);
  }

  private static final class LocalItems
      extends KeyedCoProcessFunction<Long, Person, Auction, LocalItem> {
    private transient ValueState<Person> one;
    private transient ListState<Auction> waiting;

    @Override
    public void open(OpenContext context) {
      one = getRuntimeContext().getState(new ValueStateDescriptor<>("one", PERSON));
      waiting = getRuntimeContext().getListState(new ListStateDescriptor<>("waiting", AUCTION));
    }

    @Override
    public void processElement1(Person person, Context context, Collector<LocalItem> out)
        throws Exception {
      one.update(person);
      for (Auction auction : waiting.get()) {
        out.collect(LocalItem.of(person, auction));
      }
      waiting.clear();
      context.timerService().registerEventTimeTimer(person.dateTime + RETENTION);
    }

    @Override
    public void processElement2(Auction auction, Context context, Collector<LocalItem> out)
        throws Exception {
      Person known = one.value();
      if (known != null) {
        out.collect(LocalItem.of(known, auction));
      } else {
        waiting.add(auction);
        context.timerService().registerEventTimeTimer(auction.dateTime + RETENTION);
      }
    }

    @Override
    public void onTimer(long time, OnTimerContext context, Collector<LocalItem> out) {
      one.clear();
      waiting.clear();
    }
  }

  private static final class WinningBids
      extends KeyedCoProcessFunction<Long, Auction, Bid, ClosedAuction> {
    private transient ValueState<Auction> open;
    private transient ValueState<Bid> best;
    private transient ListState<Bid> early;

    @Override
    public void open(OpenContext context) {
      open = getRuntimeContext().getState(new ValueStateDescriptor<>("auction", AUCTION));
      best = getRuntimeContext().getState(new ValueStateDescriptor<>("best", BID));
      early = getRuntimeContext().getListState(new ListStateDescriptor<>("early", BID));
    }

    @Override
    public void processElement1(Auction auction, Context context, Collector<ClosedAuction> out)
        throws Exception {
      open.update(auction);
      for (Bid bid : early.get()) {
        consider(auction, bid);
      }
      early.clear();
      context.timerService().registerEventTimeTimer(auction.expires);
    }

    @Override
    public void processElement2(Bid bid, Context context, Collector<ClosedAuction> out)
        throws Exception {
      Auction auction = open.value();
      if (auction != null) {
        consider(auction, bid);
      } else {
        early.add(bid);
        context.timerService().registerEventTimeTimer(bid.dateTime);
      }
    }

    private void consider(Auction auction, Bid bid) throws Exception {
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
    public void onTimer(long time, OnTimerContext context, Collector<ClosedAuction> out)
        throws Exception {
      Auction auction = open.value();
      if (auction == null) {
        dropEarlyBids(time);
      } else if (auction.expires == time) {
        Bid winner = best.value();
        if (winner != null) {
          out.collect(ClosedAuction.of(auction, winner));
        }
        open.clear();
        best.clear();
      }
    }

    private void dropEarlyBids(long time) throws Exception {
      List<Bid> later = new ArrayList<>();
      for (Bid bid : early.get()) {
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

  /** The number of auctions and the sum of prices. */
  private static final class Average
      extends KeyedProcessFunction<Long, ClosedAuction, CategoryAverage> {
    private transient ValueState<Long> auctions;
    private transient ValueState<Long> prices;

    @Override
    public void open(OpenContext context) {
      auctions =
          getRuntimeContext().getState(new ValueStateDescriptor<>("auctions", Types.LONG));
      prices = getRuntimeContext().getState(new ValueStateDescriptor<>("prices", Types.LONG));
    }

    @Override
    public void processElement(
        ClosedAuction closed, Context context, Collector<CategoryAverage> out) throws Exception {
      Long before = auctions.value();
      long count = before == null ? 1 : before + 1;
      long sum = before == null ? closed.price : prices.value() + closed.price;
      auctions.update(count);
      prices.update(sum);
      out.collect(new CategoryAverage(closed.category, count, sum / count));
    }
  }

  private static final class Count<T> implements AggregateFunction<T, Long, Long> {
    @Override
    public Long createAccumulator() {
      return 0L;
    }

    @Override
    public Long add(T record, Long count) {
      return count + 1;
    }

    @Override
    public Long getResult(Long count) {
      return count;
    }

    @Override
    public Long merge(Long a, Long b) {
      return a + b;
    }
  }

  private static final class WindowCount
      extends ProcessWindowFunction<Long, AuctionBids, Long, TimeWindow> {
    @Override
    public void process(
        Long auction, Context context, Iterable<Long> counts, Collector<AuctionBids> out) {
      out.collect(new AuctionBids(auction, counts.iterator().next(), context.window().getEnd()));
    }
  }

  private static final class MostBids
      implements AggregateFunction<AuctionBids, List<AuctionBids>, List<AuctionBids>> {
    @Override
    public List<AuctionBids> createAccumulator() {
      return new ArrayList<>();
    }

    @Override
    public List<AuctionBids> add(AuctionBids auction, List<AuctionBids> most) {
      if (!most.isEmpty() && most.get(0).bids < auction.bids) {
        most.clear();
      }
      if (most.isEmpty() || most.get(0).bids == auction.bids) {
        most.add(auction);
      }
      return most;
    }

    @Override
    public List<AuctionBids> getResult(List<AuctionBids> most) {
      return most;
    }

    @Override
    public List<AuctionBids> merge(List<AuctionBids> a, List<AuctionBids> b) {
      b.forEach(auction -> add(auction, a));
      return a;
    }
  }

  private static final class HighestBids implements AggregateFunction<Bid, List<Bid>, List<Bid>> {
    @Override
    public List<Bid> createAccumulator() {
      return new ArrayList<>();
    }

    @Override
    public List<Bid> add(Bid bid, List<Bid> highest) {
      if (!highest.isEmpty() && highest.get(0).price < bid.price) {
        highest.clear();
      }
      if (highest.isEmpty() || highest.get(0).price == bid.price) {
        highest.add(bid);
      }
      return highest;
    }

    @Override
    public List<Bid> getResult(List<Bid> highest) {
      return highest;
    }

    @Override
    public List<Bid> merge(List<Bid> a, List<Bid> b) {
      b.forEach(bid -> add(bid, a));
      return a;
    }
  }

  private static final class NewSellers implements CoGroupFunction<Person, Auction, NewSeller> {
    @Override
    public void coGroup(
        Iterable<Person> persons, Iterable<Auction> auctions, Collector<NewSeller> out) {
      if (auctions.iterator().hasNext()) {
        for (Person person : persons) {
          out.collect(
              new NewSeller(
                  person.id,
                  person.name,
                  person.dateTime - Math.floorMod(person.dateTime, SIZE.toMillis())));
        }
      }
    }
  }
}
