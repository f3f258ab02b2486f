package io.millrace.protocol.text;

/** Numbers with nouns: {@code 1 slot}, {@code 2 slots}. */
public final class Plural {
  private Plural() {}

  /** The number and the noun, in the plural unless the number is 1. */
  public static String of(long count, String noun) {
    return count + " " + noun(count, noun);
  }

  public static String noun(long count, String noun) {
    return count == 1 ? noun : noun + "s";
  }

  public static String is(long count) {
    return count == 1 ? "is" : "are";
  }

  public static String has(long count) {
    return count == 1 ? "has" : "have";
  }

  /** {@code the 1 restart}, {@code all 2 restarts}. */
  public static String all(long count, String noun) {
    return (count == 1 ? "the " : "all ") + of(count, noun);
  }

  public static String was(long count) {
    return count == 1 ? "was" : "were";
  }

  /** {@code a 1st}, {@code an 8th}, {@code an 11th}. */
  public static String withArticle(int number) {
    String digits = Integer.toString(number);
    boolean elevenOrEighteen =
        digits.length() % 3 == 2 && (digits.startsWith("11") || digits.startsWith("18"));
    return (digits.startsWith("8") || elevenOrEighteen ? "an " : "a ") + ordinal(number);
  }

  /** {@code 1st}, {@code 2nd}, {@code 11th}. */
  public static String ordinal(int number) {
    boolean teens = number % 100 >= 11 && number % 100 <= 13;
    return number
        + (teens
            ? "th"
            : switch (number % 10) {
              case 1 -> "st";
              case 2 -> "nd";
              case 3 -> "rd";
              default -> "th";
            });
  }
}
