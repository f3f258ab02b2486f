package io.millrace.bench.nexmark;

import io.millrace.api.DataStream;
import io.millrace.api.StreamEnvironment;
import io.millrace.bench.load.nexmark.NexmarkSettings;
import io.millrace.bench.nexmark.RowQueries.SideRow;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The queries. */
@SuppressWarnings("ImmutableEnumChecker") // Queries are functions without state.
public enum NexmarkQuery {
  Q0(Time.NONE, RowQueries::passThrough),
  Q1(Time.NONE, RowQueries::convertCurrency),
  Q2(Time.NONE, RowQueries::selectAuctions),
  Q3(Time.EVENT, JoinQueries::localItems),
  Q4(Time.EVENT, JoinQueries::averagePrices),
  Q5(Time.EVENT, WindowQueries::hotItems),
  Q6(Time.EVENT, JoinQueries::sellerAverages),
  Q7(Time.EVENT, WindowQueries::highestBids),
  Q8(Time.EVENT, WindowQueries::newSellers),
  Q9(Time.EVENT, JoinQueries::winningBids),
  Q10(Time.NONE, RowQueries::logLines),
  Q11(Time.EVENT, WindowQueries::userSessions),
  Q12(Time.NONE, WindowQueries::processingTimeWindows),
  Q13(Time.NONE, input -> RowQueries.joinSideInput(input, sideInput())),
  Q14(Time.NONE, RowQueries::calculate),
  Q15(Time.NONE, StatisticsQueries::dailyStatistics),
  Q16(Time.NONE, StatisticsQueries::channelStatistics),
  Q17(Time.NONE, StatisticsQueries::auctionStatistics),
  Q18(Time.NONE, StatisticsQueries::lastBids),
  Q19(Time.NONE, StatisticsQueries::topBids),
  Q20(Time.EVENT, JoinQueries::expandedBids),
  Q21(Time.NONE, RowQueries::addChannelId),
  Q22(Time.NONE, RowQueries::splitUrl);

  private enum Time {
    NONE,
    EVENT
  }

  private interface Query {
    DataStream<?> results(NexmarkStreams input);
  }

  private final Time time;
  private final Query query;

  NexmarkQuery(Time time, Query query) {
    this.time = time;
    this.query = query;
  }

  public static NexmarkQuery named(String name) {
    return Arrays.stream(values())
        .filter(query -> query.name().equalsIgnoreCase(name))
        .findFirst()
        .orElseThrow(
            () -> new IllegalArgumentException("There is no query " + name + ", but q0 to q22"));
  }

  /** Adds the query to a program. */
  public DataStream<?> addTo(StreamEnvironment env, NexmarkSettings settings) {
    return query.results(
        time == Time.EVENT
            ? NexmarkStreams.timed(env, settings)
            : NexmarkStreams.untimed(env, settings));
  }

  /** The side input of query 13: a text for each key. */
  static List<SideRow> sideInput() {
    List<SideRow> rows = new ArrayList<>();
    for (long key = 0; key < RowQueries.SIDE_ROWS; key++) {
      rows.add(new SideRow(key, "side value " + key));
    }
    return rows;
  }
}
