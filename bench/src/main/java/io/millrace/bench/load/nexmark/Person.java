package io.millrace.bench.load.nexmark;

/** A person who opens auctions or bids. */
public final class Person extends NexmarkEvent {
  public long id;
  public String name;
  public String emailAddress;
  public String creditCard;
  public String city;
  public String state;
  public String extra;

  public Person() {}

  @Override
  public String toString() {
    return "Person["
        + String.join(
            ", ",
            String.valueOf(id),
            name,
            emailAddress,
            creditCard,
            city,
            state,
            String.valueOf(dateTime),
            extra)
        + "]";
  }
}
