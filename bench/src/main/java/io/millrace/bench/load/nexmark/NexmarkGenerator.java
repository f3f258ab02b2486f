package io.millrace.bench.load.nexmark;

import java.util.Locale;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Generates the events of the Nexmark benchmark. Of 50 events in a row one is a person, three are
 * auctions and 46 are bids. Ids grow; auctions and bids refer to recent persons and auctions, often
 * to a hot one, and sometimes to one that the stream does not have yet.
 *
 * <p>An event depends only on the settings and on its number, so that the stream is the same for
 * any number of instances: instance {@code i} of {@code n} generates every {@code n}-th group of 50
 * events. Within an instance event time does not go back.
 *
 * <p>Numbers come from one or two rounds of a hash function, and texts from tables: the generator
 * costs a few nanoseconds per event, and engines are compared, not generators. On average a person
 * has about 200 bytes, an auction 500 and a bid 100, as in the benchmark's definition. There are
 * 1,000 channels, not 10,000, so that the tables stay in the caches of a processor.
 */
public final class NexmarkGenerator {
  /** Events per group. */
  public static final int GROUP = 50;

  static final int AUCTIONS = 3;
  static final long FIRST_PERSON = 1000;
  static final long FIRST_AUCTION = 1000;
  static final long FIRST_CATEGORY = 10;

  /** 2026-01-01T00:00:00Z. */
  static final long FIRST_TIME = 1_767_225_600_000L;

  private static final int CATEGORIES = 5;
  private static final int ACTIVE_PERSONS = 1000;
  private static final int OPEN_AUCTIONS = 100;

  /** References go this far beyond the persons and auctions so far. */
  private static final int LEAD = 10;

  /** One person or auction of so many is hot. */
  private static final int HOT_EVERY = 100;

  private static final long EVENTS_OF_OPEN_AUCTIONS = (long) OPEN_AUCTIONS * GROUP / AUCTIONS;

  private final NexmarkSettings settings;
  private final int instance;
  private final int instances;
  private long position;
  private int offset;

  // Of the current group.
  private long group;
  private long hotAuction;
  private long oldestAuction;
  private long auctionChoices;
  private long hotSeller;
  private long oldestPerson;
  private long personChoices;

  public NexmarkGenerator(NexmarkSettings settings, int instance, int instances) {
    this.settings = settings;
    this.instance = instance;
    this.instances = instances;
    seek(0);
  }

  /** One object of each kind, for an engine that lets a source fill them again and again. */
  public static final class Reused {
    private final Person person = new Person();
    private final Auction auction = new Auction();
    private final Bid bid = new Bid();
  }

  /** The number of events that this instance has generated. */
  public long position() {
    return position;
  }

  /** Goes to the event after so many. */
  public void seek(long newPosition) {
    position = newPosition;
    enter(newPosition / GROUP * instances + instance);
    offset = (int) (newPosition % GROUP);
  }

  public boolean hasNext() {
    return group * GROUP + offset < settings.events();
  }

  public NexmarkEvent next() {
    return offset > AUCTIONS
        ? bid(new Bid())
        : offset == 0 ? person(new Person()) : auction(new Auction());
  }

  /** As {@link #next()}, in one of these objects. */
  public NexmarkEvent next(Reused objects) {
    return offset > AUCTIONS
        ? bid(objects.bid)
        : offset == 0 ? person(objects.person) : auction(objects.auction);
  }

  private Person person(Person person) {
    long number = group * GROUP + offset;
    long random = random(number);
    person.id = FIRST_PERSON + group;
    person.dateTime = timeOf(number);
    int text = below(random, 16, Texts.SIZE);
    person.name = Texts.NAMES[below(random, 0, Texts.SIZE)];
    person.emailAddress = Texts.MAIL_ADDRESSES[text];
    person.creditCard = Texts.CREDIT_CARDS[text];
    person.city = Texts.CITIES[below(random, 32, Texts.CITIES.length)];
    person.state = Texts.STATES[below(random, 48, Texts.STATES.length)];
    person.extra = Texts.PERSON_EXTRAS[text];
    forward();
    return person;
  }

  private Auction auction(Auction auction) {
    long number = group * GROUP + offset;
    long random = random(number);
    auction.id = FIRST_AUCTION + group * AUCTIONS + offset - 1;
    auction.dateTime = timeOf(number);
    int text = below(random, 0, Texts.SIZE);
    auction.itemName = Texts.ITEM_NAMES[text];
    auction.description = Texts.DESCRIPTIONS[text];
    auction.initialBid = Texts.PRICES[below(random, 8, Texts.PRICES.length)];
    auction.reserve = auction.initialBid + Texts.PRICES[below(random, 16, Texts.PRICES.length)];
    long longest = Math.max(1, 2 * EVENTS_OF_OPEN_AUCTIONS * settings.microsPerEvent() / 1000);
    auction.expires = auction.dateTime + 1 + (((random >>> 32) * longest) >>> 32);
    long more = again(random);
    // Three of four auctions are of a hot seller.
    auction.seller = (more & 3) != 0 ? hotSeller : recentPerson(more >>> 8 & 0xFFFF);
    auction.category = FIRST_CATEGORY + below(more, 24, CATEGORIES);
    auction.extra = Texts.AUCTION_EXTRAS[text];
    forward();
    return auction;
  }

  private Bid bid(Bid bid) {
    long number = group * GROUP + offset;
    long random = random(number);
    bid.dateTime = timeOf(number);
    // Choices are made without branches, which no processor could predict.
    long recentAuction = oldestAuction + ((random >>> 1 & 0xFFFF) * auctionChoices >>> 16);
    bid.auction = choose(random, hotAuction, recentAuction);
    // Three of four bids are of a hot bidder, who is not the hot seller.
    bid.bidder =
        choose(random >>> 17 | random >>> 18, hotSeller + 1, recentPerson(random >>> 19 & 0xFFFF));
    long price = Texts.PRICES[(int) (random >>> 48) & Texts.PRICES.length - 1];
    long more = again(random);
    bid.price = price + (price * (more & 0xFFFF) >>> 16 + Texts.PRICE_STEP_BITS);
    // Half of the bids come through one of four hot channels, which are the first ones.
    int channel =
        (int) choose(more >>> 16, more >>> 17 & 3, (more >>> 20 & 0xFFFF) * Texts.CHANNELS >>> 16);
    bid.channel = Texts.CHANNELS_AND_URLS[2 * channel];
    bid.url = Texts.CHANNELS_AND_URLS[2 * channel + 1];
    bid.extra = Texts.BID_EXTRAS[(int) (more >>> 40) & Texts.SIZE - 1];
    forward();
    return bid;
  }

  /** The first number if the lowest bit is 1, else the second. */
  private static long choose(long bit, long ifSet, long ifClear) {
    return ifClear ^ (ifClear ^ ifSet) & -(bit & 1);
  }

  private void forward() {
    position++;
    if (++offset == GROUP) {
      offset = 0;
      enter(group + instances);
    }
  }

  /** Computes what the events of a group have in common. */
  private void enter(long newGroup) {
    group = newGroup;
    long lastAuction = newGroup * AUCTIONS + AUCTIONS - 1;
    hotAuction = (FIRST_AUCTION + lastAuction) / HOT_EVERY * HOT_EVERY;
    long oldest = Math.max(0, lastAuction - OPEN_AUCTIONS);
    oldestAuction = FIRST_AUCTION + oldest;
    auctionChoices = lastAuction - oldest + 1 + LEAD;
    hotSeller = (FIRST_PERSON + newGroup) / HOT_EVERY * HOT_EVERY;
    long persons = newGroup + 1;
    long active = Math.min(persons, ACTIVE_PERSONS);
    oldestPerson = FIRST_PERSON + persons - active;
    personChoices = active + LEAD;
  }

  /** One of the last persons, or one of the next few. */
  private long recentPerson(long sixteenBits) {
    return oldestPerson + (sixteenBits * personChoices >>> 16);
  }

  private long timeOf(long number) {
    return FIRST_TIME + number * settings.microsPerEvent() / 1000;
  }

  /** A hash of the number of the event. */
  private long random(long number) {
    long x = (number + settings.seed()) * 0x9E3779B97F4A7C15L;
    x = (x ^ x >>> 32) * 0xD6E8FEB86659FD93L;
    return x ^ x >>> 32;
  }

  private static long again(long random) {
    long x = random * 0xFF51AFD7ED558CCDL;
    return x ^ x >>> 33;
  }

  /** A number below a bound from 16 of the bits. */
  private static int below(long random, int shift, int bound) {
    return (int) ((random >>> shift & 0xFFFF) * bound >>> 16);
  }

  /** The texts and prices that events share. */
  private static final class Texts {
    static final int SIZE = 1024;
    static final int HOT_CHANNELS = 4;
    static final int CHANNELS = 1000;

    static final String[] CITIES = {
      "Phoenix",
      "Los Angeles",
      "San Francisco",
      "Boise",
      "Portland",
      "Bend",
      "Redmond",
      "Seattle",
      "Kent",
      "Cheyenne"
    };
    static final String[] STATES = {"AZ", "CA", "ID", "OR", "WA", "WY"};

    private static final Random RANDOM = new Random(42);

    /** Prices are evenly distributed over six orders of magnitude. */
    static final long[] PRICES =
        IntStream.range(0, 512).mapToLong(i -> Math.round(100 * Math.pow(10, i / 85.0))).toArray();

    /** From one price to the next it is about so many bits less than a price: 2.7 %. */
    static final int PRICE_STEP_BITS = 5;

    static final String[] NAMES = texts(() -> word(5) + " " + word(7));
    static final String[] MAIL_ADDRESSES = texts(() -> word(7) + "@" + word(5) + ".com");
    static final String[] CREDIT_CARDS =
        texts(() -> digits() + " " + digits() + " " + digits() + " " + digits());
    static final String[] ITEM_NAMES = texts(() -> word(20));
    static final String[] DESCRIPTIONS = texts(() -> word(100));
    static final String[] PERSON_EXTRAS = texts(() -> word(110));
    static final String[] AUCTION_EXTRAS = texts(() -> word(320));
    static final String[] BID_EXTRAS = texts(() -> word(20));

    /** A channel, its address, the next channel. */
    static final String[] CHANNELS_AND_URLS = new String[2 * CHANNELS];

    static {
      for (int i = 0; i < CHANNELS; i++) {
        boolean hot = i < HOT_CHANNELS;
        CHANNELS_AND_URLS[2 * i] =
            hot ? new String[] {"Google", "Facebook", "Baidu", "Apple"}[i] : "channel-" + i;
        // One of ten channels has no id in its address, and the hot ones have none.
        CHANNELS_AND_URLS[2 * i + 1] =
            "https://www.nexmark.com/"
                + String.join("/", word(4), word(4), word(4))
                + "/item.htm?query=1"
                + (hot || i % 10 == 0 ? "" : "&channel_id=" + Math.abs(Integer.reverse(i) / 7));
      }
    }

    private interface Text {
      String next();
    }

    private static String[] texts(Text text) {
      String[] texts = new String[SIZE];
      for (int i = 0; i < SIZE; i++) {
        texts[i] = text.next();
      }
      return texts;
    }

    private static String digits() {
      return String.format(Locale.ROOT, "%04d", RANDOM.nextInt(10_000));
    }

    /** Of about this length. */
    private static String word(int length) {
      int exact = length - length / 5 + RANDOM.nextInt(2 * (length / 5) + 1);
      StringBuilder word = new StringBuilder(exact);
      for (int i = 0; i < exact; i++) {
        word.append((char) ('a' + RANDOM.nextInt(26)));
      }
      return word.toString();
    }
  }
}
