package io.millrace.bench.nexmark;

import io.millrace.bench.load.nexmark.Auction;
import io.millrace.bench.load.nexmark.AuctionBids;
import io.millrace.bench.load.nexmark.Bid;
import io.millrace.bench.load.nexmark.NexmarkEvent;
import io.millrace.bench.load.nexmark.NexmarkResults.AuctionPrice;
import io.millrace.bench.load.nexmark.NexmarkResults.AuctionStatistics;
import io.millrace.bench.load.nexmark.NexmarkResults.BidStatistics;
import io.millrace.bench.load.nexmark.NexmarkResults.BidderWindow;
import io.millrace.bench.load.nexmark.NexmarkResults.CalculatedBid;
import io.millrace.bench.load.nexmark.NexmarkResults.CategoryAverage;
import io.millrace.bench.load.nexmark.NexmarkResults.ChannelBid;
import io.millrace.bench.load.nexmark.NexmarkResults.DirectoryBid;
import io.millrace.bench.load.nexmark.NexmarkResults.EnrichedBid;
import io.millrace.bench.load.nexmark.NexmarkResults.EuroBid;
import io.millrace.bench.load.nexmark.NexmarkResults.ExpandedBid;
import io.millrace.bench.load.nexmark.NexmarkResults.LocalItem;
import io.millrace.bench.load.nexmark.NexmarkResults.NewSeller;
import io.millrace.bench.load.nexmark.NexmarkResults.SellerAverage;
import io.millrace.bench.load.nexmark.NexmarkResults.TopBids;
import io.millrace.bench.load.nexmark.NexmarkResults.WinningBid;
import io.millrace.bench.load.nexmark.Person;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The results of the queries over a complete stream, computed in memory from their statements. */
final class NexmarkModel {
  private final List<Person> persons;
  private final List<Auction> auctions;
  private final List<Bid> bids;

  NexmarkModel(List<NexmarkEvent> events) {
    persons = only(events, Person.class);
    auctions = only(events, Auction.class);
    bids = only(events, Bid.class);
  }

  private static <T> List<T> only(List<NexmarkEvent> events, Class<T> kind) {
    return events.stream().filter(kind::isInstance).map(kind::cast).toList();
  }

  /** Of queries with updates the last result of each group. */
  List<?> results(NexmarkQuery query) {
    return switch (query) {
      case Q0 -> bids;
      case Q1 ->
          map(bids, b -> new EuroBid(b.auction, b.bidder, 908 * b.price, b.dateTime, b.extra));
      case Q2 ->
          bids.stream()
              .filter(b -> b.auction % 123 == 0)
              .map(b -> new AuctionPrice(b.auction, b.price))
              .toList();
      case Q3 -> localItems();
      case Q4 -> averagePrices();
      case Q5 -> hotItems();
      case Q6 -> sellerAverages();
      case Q7 -> highestBids();
      case Q8 -> newSellers();
      case Q9 -> winningBids();
      case Q10 -> map(bids, this::line);
      case Q11 -> sessions();
      case Q12 -> bidsOfBidders();
      case Q13 ->
          map(
              bids,
              b ->
                  new EnrichedBid(
                      b.auction,
                      b.bidder,
                      b.price,
                      b.dateTime,
                      "side value " + b.auction % 10_000));
      case Q14 -> calculations();
      case Q15 -> statistics(b -> time(b).toLocalDate().toString(), false);
      case Q16 -> statistics(b -> b.channel + " " + time(b).toLocalDate(), true);
      case Q17 -> auctionStatistics();
      case Q18 ->
          groups(b -> b.bidder + " " + b.auction).values().stream()
              .map(group -> group.get(group.size() - 1))
              .toList();
      case Q19 -> topBids();
      case Q20 -> expandedBids();
      case Q21 -> channelIds();
      case Q22 -> directories();
    };
  }

  private static <T, R> List<R> map(List<T> records, Function<T, R> function) {
    return records.stream().map(function).toList();
  }

  private static LocalDateTime time(NexmarkEvent event) {
    return LocalDateTime.ofEpochSecond(event.dateTime / 1000, 0, ZoneOffset.UTC);
  }

  private Map<String, List<Bid>> groups(Function<Bid, String> key) {
    return bids.stream().collect(Collectors.groupingBy(key, TreeMap::new, Collectors.toList()));
  }

  private List<LocalItem> localItems() {
    List<LocalItem> items = new ArrayList<>();
    for (Auction auction : auctions) {
      for (Person person : persons) {
        if (auction.seller == person.id
            && auction.category == 10
            && List.of("OR", "ID", "CA").contains(person.state)) {
          items.add(new LocalItem(person.name, person.city, person.state, auction.id));
        }
      }
    }
    return items;
  }

  private List<WinningBid> winningBids() {
    List<WinningBid> winners = new ArrayList<>();
    for (Auction auction : auctions) {
      bids.stream()
          .filter(
              bid ->
                  bid.auction == auction.id
                      && bid.dateTime >= auction.dateTime
                      && bid.dateTime <= auction.expires)
          .min(
              Comparator.<Bid>comparingLong(bid -> -bid.price)
                  .thenComparingLong(bid -> bid.dateTime))
          .ifPresent(bid -> winners.add(new WinningBid(auction, bid)));
    }
    return winners;
  }

  private List<CategoryAverage> averagePrices() {
    Map<Long, List<Long>> prices = new TreeMap<>();
    winningBids()
        .forEach(
            winner ->
                prices
                    .computeIfAbsent(winner.auction().category, category -> new ArrayList<>())
                    .add(winner.bid().price));
    return prices.entrySet().stream()
        .map(e -> new CategoryAverage(e.getKey(), e.getValue().size(), average(e.getValue())))
        .toList();
  }

  private static long average(List<Long> prices) {
    return prices.stream().mapToLong(price -> price).sum() / prices.size();
  }

  private List<SellerAverage> sellerAverages() {
    List<WinningBid> closed = new ArrayList<>(winningBids());
    closed.sort(
        Comparator.<WinningBid>comparingLong(winner -> winner.auction().expires)
            .thenComparingLong(winner -> winner.auction().id));
    List<SellerAverage> averages = new ArrayList<>();
    for (int i = 0; i < closed.size(); i++) {
      long seller = closed.get(i).auction().seller;
      List<Long> prices =
          closed.subList(0, i + 1).stream()
              .filter(winner -> winner.auction().seller == seller)
              .map(winner -> winner.bid().price)
              .toList();
      averages.add(
          new SellerAverage(
              seller, average(prices.subList(Math.max(0, prices.size() - 10), prices.size()))));
    }
    return averages;
  }

  private List<AuctionBids> hotItems() {
    List<AuctionBids> hot = new ArrayList<>();
    long first = bids.get(0).dateTime / 2000 * 2000;
    for (long end = first + 2000; end < bids.get(bids.size() - 1).dateTime + 10_001; end += 2000) {
      long start = end - 10_000;
      long after = end;
      Map<Long, Long> counts =
          bids.stream()
              .filter(bid -> bid.dateTime >= start && bid.dateTime < after)
              .collect(
                  Collectors.groupingBy(bid -> bid.auction, TreeMap::new, Collectors.counting()));
      long most = counts.values().stream().max(Comparator.naturalOrder()).orElse(0L);
      counts.forEach(
          (auction, count) -> {
            if (count == most) {
              hot.add(new AuctionBids(auction, count, after));
            }
          });
    }
    return hot;
  }

  private List<Bid> highestBids() {
    return bids.stream()
        .filter(
            bid ->
                bids.stream()
                    .noneMatch(
                        other ->
                            other.dateTime / 10_000 == bid.dateTime / 10_000
                                && other.price > bid.price))
        .toList();
  }

  private List<NewSeller> newSellers() {
    return persons.stream()
        .filter(
            person ->
                auctions.stream()
                    .anyMatch(
                        auction ->
                            auction.seller == person.id
                                && auction.dateTime / 10_000 == person.dateTime / 10_000))
        .map(person -> new NewSeller(person.id, person.name, person.dateTime / 10_000 * 10_000))
        .toList();
  }

  private String line(Bid bid) {
    LocalDateTime time = time(bid);
    return Stream.of(
            time.toLocalDate(),
            time.toLocalTime().toString().substring(0, 5),
            bid.auction,
            bid.bidder,
            bid.price,
            bid.dateTime,
            bid.extra)
        .map(Object::toString)
        .collect(Collectors.joining(","));
  }

  private List<BidderWindow> sessions() {
    List<BidderWindow> sessions = new ArrayList<>();
    for (List<Bid> group : groups(bid -> String.valueOf(bid.bidder)).values()) {
      int first = 0;
      for (int i = 1; i <= group.size(); i++) {
        long last = group.get(i - 1).dateTime;
        if (i == group.size() || group.get(i).dateTime > last + 10_000) {
          Bid start = group.get(first);
          sessions.add(new BidderWindow(start.bidder, i - first, start.dateTime, last + 10_000));
          first = i;
        }
      }
    }
    return sessions;
  }

  /** Which window of processing time a bid is in depends on the run: only sums are known. */
  private List<BidderWindow> bidsOfBidders() {
    return groups(bid -> String.valueOf(bid.bidder)).values().stream()
        .map(group -> new BidderWindow(group.get(0).bidder, group.size(), 0, 0))
        .toList();
  }

  private List<CalculatedBid> calculations() {
    List<CalculatedBid> results = new ArrayList<>();
    for (Bid bid : bids) {
      double price = 0.908 * bid.price;
      if (price > 1_000_000 && price < 50_000_000) {
        int hour = time(bid).getHour();
        String timeOfDay = "otherTime";
        if (hour >= 8 && hour <= 18) {
          timeOfDay = "dayTime";
        } else if (hour <= 6 || hour >= 20) {
          timeOfDay = "nightTime";
        }
        results.add(
            new CalculatedBid(
                bid.auction,
                bid.bidder,
                908 * bid.price,
                timeOfDay,
                bid.dateTime,
                bid.extra,
                bid.extra.length() - bid.extra.replace("c", "").length()));
      }
    }
    return results;
  }

  private List<BidStatistics> statistics(Function<Bid, String> key, boolean withMinute) {
    List<BidStatistics> results = new ArrayList<>();
    groups(key)
        .forEach(
            (name, group) -> {
              List<Long> count = new ArrayList<>();
              List<Long> bidders = new ArrayList<>();
              List<Long> distinctAuctions = new ArrayList<>();
              for (Predicate<Bid> rank :
                  List.<Predicate<Bid>>of(
                      bid -> true,
                      bid -> bid.price < 10_000,
                      bid -> bid.price >= 10_000 && bid.price < 1_000_000,
                      bid -> bid.price >= 1_000_000)) {
                List<Bid> ranked = group.stream().filter(rank).toList();
                count.add((long) ranked.size());
                bidders.add(ranked.stream().map(bid -> bid.bidder).distinct().count());
                distinctAuctions.add(ranked.stream().map(bid -> bid.auction).distinct().count());
              }
              String minute =
                  time(group.get(group.size() - 1)).toLocalTime().toString().substring(0, 5);
              results.add(
                  new BidStatistics(
                      name, withMinute ? minute : "", count, bidders, distinctAuctions));
            });
    return results;
  }

  private List<AuctionStatistics> auctionStatistics() {
    return groups(bid -> bid.auction + " " + time(bid).toLocalDate()).values().stream()
        .map(
            group ->
                new AuctionStatistics(
                    group.get(0).auction,
                    time(group.get(0)).toLocalDate().toString(),
                    group.size(),
                    group.stream().filter(bid -> bid.price < 10_000).count(),
                    group.stream()
                        .filter(bid -> bid.price >= 10_000 && bid.price < 1_000_000)
                        .count(),
                    group.stream().filter(bid -> bid.price >= 1_000_000).count(),
                    group.stream().mapToLong(bid -> bid.price).min().orElseThrow(),
                    group.stream().mapToLong(bid -> bid.price).max().orElseThrow(),
                    group.stream().mapToLong(bid -> bid.price).sum()))
        .toList();
  }

  private List<TopBids> topBids() {
    return groups(bid -> String.valueOf(bid.auction)).values().stream()
        .map(
            group ->
                new TopBids(
                    group.get(0).auction,
                    group.stream()
                        .sorted(Comparator.comparingLong(bid -> -bid.price))
                        .limit(10)
                        .toList()))
        .toList();
  }

  private List<ExpandedBid> expandedBids() {
    List<ExpandedBid> expanded = new ArrayList<>();
    for (Bid bid : bids) {
      for (Auction auction : auctions) {
        if (auction.id == bid.auction && auction.category == 10) {
          expanded.add(new ExpandedBid(bid, auction));
        }
      }
    }
    return expanded;
  }

  private List<ChannelBid> channelIds() {
    List<ChannelBid> results = new ArrayList<>();
    for (Bid bid : bids) {
      int known = List.of("Apple", "Google", "Facebook", "Baidu").indexOf(bid.channel);
      int parameter = bid.url.indexOf("&channel_id=");
      if (known >= 0 || parameter >= 0) {
        String id =
            known >= 0
                ? String.valueOf(known)
                : bid.url.substring(parameter + "&channel_id=".length());
        results.add(new ChannelBid(bid.auction, bid.bidder, bid.price, bid.channel, id));
      }
    }
    return results;
  }

  private List<DirectoryBid> directories() {
    return map(
        bids,
        bid -> {
          String path = bid.url.substring("https://www.nexmark.com/".length());
          String[] parts = path.split("/");
          return new DirectoryBid(
              bid.auction, bid.bidder, bid.price, bid.channel, parts[0], parts[1], parts[2]);
        });
  }
}
