package io.statestore.protocol;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * The pattern in a SCAN (protocol section 2). {@code *} matches any characters, {@code ?}
 * a single character, {@code [abc]} and {@code [a-z]} a character in the set,
 * {@code [!abc]} a character outside the set. All other characters match themselves.
 * Characters are the key's code points, decoded as UTF-8. A {@code ]} at the start of a
 * set and a {@code -} at its start or end are members of the set.
 * <p>
 * The implementation is a nondeterministic automaton with one bit per state (Baeza-Yates
 * and Gonnet, "A New Approach to Text Searching", 1992). Each character in the key takes
 * one step per 64 pattern elements, so no pattern takes exponential time.
 * <p>
 * Thread-safe, unlike its {@linkplain Matcher matchers}.
 */
public final class GlobPattern {

	/** Maximum length of a pattern with wildcards, in bytes. */
	public static final int MAX_LENGTH = 1024;

	/**
	 * Maximum length of a watched pattern, in bytes. Limits how long matching a changed
	 * key with all watched patterns takes.
	 */
	public static final int MAX_WATCHED_LENGTH = 256;

	private static final String WILDCARDS = "*?[";

	private static final char MALFORMED = '\uFFFD';

	private static final Element ANY = (character) -> true;

	/** The element for {@code *}, compared by identity. */
	private static final Element STAR = (character) -> false;

	/** Number of characters whose bits all matchers share. */
	private static final int ASCII = 128;

	/** Maximum number of other characters whose bits a matcher caches. */
	private static final int KEPT = 4_096;

	private final Element[] elements;

	/**
	 * Number of longs that hold one bit per element and one for the end of the pattern.
	 */
	private final int words;

	/** Bits of the star elements. */
	private final long[] stars;

	/**
	 * Cache: for each ASCII character, the bits of the elements that accept it. Several
	 * threads may compute the same bits.
	 */
	private final @Nullable Bits[] ascii = new Bits[ASCII];

	private final @Nullable Bytes literal;

	/**
	 * The elements as written. Elements with the same text accept the same characters.
	 */
	private final List<String> texts;

	private GlobPattern(Element[] elements, List<String> texts, @Nullable Bytes literal) {
		this.elements = elements;
		this.texts = texts;
		this.literal = literal;
		this.words = elements.length / Long.SIZE + 1;
		this.stars = bits((element) -> element == STAR);
	}

	/**
	 * Parses a pattern.
	 * @param pattern the pattern, encoded in UTF-8
	 * @return the parsed pattern
	 * @throws ProtocolException with {@link ErrorReason#SYNTAX_ERROR} if a set is not
	 * closed, a range is reversed, or the pattern is too long
	 */
	public static GlobPattern of(Bytes pattern) {
		String text = pattern.toUtf8();
		if (text.chars().noneMatch((character) -> WILDCARDS.indexOf(character) >= 0 || character == MALFORMED)) {
			return new GlobPattern(new Element[0], text.codePoints().mapToObj(Character::toString).toList(), pattern);
		}
		if (pattern.length() > MAX_LENGTH) {
			throw syntaxError();
		}
		Parser parser = new Parser(text.codePoints().toArray());
		return new GlobPattern(parser.parse(), parser.texts, null);
	}

	/**
	 * Parses a pattern for a watch.
	 * @param pattern the pattern, encoded in UTF-8
	 * @return the parsed pattern
	 * @throws ProtocolException with {@link ErrorReason#SYNTAX_ERROR} if it is malformed
	 * or longer than {@link #MAX_WATCHED_LENGTH}
	 */
	public static GlobPattern ofWatch(Bytes pattern) {
		if (pattern.length() > MAX_WATCHED_LENGTH) {
			throw syntaxError();
		}
		return of(pattern);
	}

	/**
	 * Returns a pattern that matches only a given text.
	 * @param text the text, which may contain wildcard characters
	 * @return the text, with wildcards enclosed in brackets
	 */
	public static String escape(String text) {
		return text.replaceAll("[*?\\[]", "[$0]");
	}

	/**
	 * Returns the only matching key.
	 * @return the key, or {@code null} if the pattern has wildcards
	 */
	public @Nullable Bytes literal() {
		return this.literal;
	}

	/** Returns the elements as written: {@code *}, {@code ?}, a set, or a character. */
	List<String> texts() {
		return this.texts;
	}

	/** Returns whether an element's text can represent more than one character. */
	static boolean isWildcard(String text) {
		return WILDCARDS.indexOf(text.codePointAt(0)) >= 0;
	}

	/** Returns whether an element accepts a character. */
	boolean accepts(int element, int character) {
		return this.elements[element].accepts(character);
	}

	/**
	 * Returns whether a key matches.
	 * @param key the entire key
	 * @return whether the key matches
	 */
	public boolean matches(Bytes key) {
		return matcher().matches(key);
	}

	/**
	 * Returns a matcher for many keys.
	 * @return a new matcher
	 */
	public Matcher matcher() {
		return new Matcher();
	}

	/**
	 * Adds the states after stars, because a star also matches an empty string. The
	 * parser has already merged adjacent stars.
	 */
	private void skipStars(long[] states) {
		long carry = 0;
		for (int i = 0; i < states.length; i++) {
			long skipping = states[i] & this.stars[i];
			states[i] |= (skipping << 1) | carry;
			carry = skipping >>> 63;
		}
	}

	private long[] bits(Predicate<Element> predicate) {
		long[] result = new long[this.words];
		for (int i = 0; i < this.elements.length; i++) {
			if (predicate.test(this.elements[i])) {
				result[i / Long.SIZE] |= 1L << i;
			}
		}
		return result;
	}

	private static boolean isSet(long[] bits, int index) {
		return (bits[index / Long.SIZE] & (1L << index)) != 0;
	}

	private static ProtocolException syntaxError() {
		return new ProtocolException(ErrorReason.SYNTAX_ERROR);
	}

	/** Matches keys and measures how long that takes. Not thread-safe. */
	public final class Matcher {

		/**
		 * Cache: for each non-ASCII character, the bits of the elements that accept it.
		 */
		private @Nullable Map<Integer, Bits> others;

		private long steps;

		private Matcher() {
		}

		/**
		 * Returns the number of steps in all matches so far, as a measure of time.
		 * @return the number of steps
		 */
		public long steps() {
			return this.steps;
		}

		/**
		 * Returns whether a key matches.
		 * @param key the entire key
		 * @return whether the key matches
		 */
		public boolean matches(Bytes key) {
			Bytes literal = GlobPattern.this.literal;
			return (literal != null) ? literal.equals(key) : run(key.toUtf8());
		}

		/**
		 * Returns whether a decoded key matches. Use this to decode a key only once for
		 * several patterns.
		 * @param key the key, decoded as UTF-8, see {@link Bytes#toUtf8()}
		 * @return whether it matches
		 */
		public boolean matches(String key) {
			Bytes literal = GlobPattern.this.literal;
			return (literal != null) ? literal.toUtf8().equals(key) : run(key);
		}

		private boolean run(String text) {
			// Bit i is set if the characters read so far match the elements before
			// element i.
			long[] states = new long[GlobPattern.this.words];
			states[0] = 1;
			skipStars(states);
			boolean alive = true;
			for (int i = 0; i < text.length() && alive; i += Character.charCount(text.codePointAt(i))) {
				this.steps += states.length;
				alive = read(text.codePointAt(i), states);
			}
			return alive && isSet(states, GlobPattern.this.elements.length);
		}

		/** Advances all states by one character. Returns whether any state remains. */
		private boolean read(int character, long[] states) {
			long[] accepting = accepting(character);
			long[] stars = GlobPattern.this.stars;
			long carry = 0;
			long any = 0;
			for (int i = 0; i < states.length; i++) {
				long moving = states[i] & accepting[i];
				states[i] = (states[i] & stars[i]) | (moving << 1) | carry;
				carry = moving >>> 63;
				any |= states[i];
			}
			skipStars(states);
			return any != 0;
		}

		private long[] accepting(int character) {
			Bits known = (character < ASCII) ? GlobPattern.this.ascii[character]
					: (this.others != null) ? this.others.get(character) : null;
			if (known != null) {
				return known.words();
			}
			this.steps += GlobPattern.this.elements.length;
			Bits result = new Bits(bits((element) -> element.accepts(character)));
			if (character < ASCII) {
				GlobPattern.this.ascii[character] = result;
			}
			else {
				keep(character, result);
			}
			return result.words();
		}

		private void keep(int character, Bits bits) {
			if (this.others == null) {
				this.others = new HashMap<>();
			}
			if (this.others.size() < KEPT) {
				this.others.put(character, bits);
			}
		}

	}

	/**
	 * Bits of elements. The record's final field safely publishes them to other threads.
	 */
	private record Bits(long[] words) {
	}

	/** A condition for a single character. */
	@FunctionalInterface
	private interface Element {

		boolean accepts(int character);

	}

	private static final class Parser {

		private final int[] text;

		private final List<String> texts = new ArrayList<>();

		private int position;

		Parser(int[] text) {
			this.text = text;
		}

		Element[] parse() {
			List<Element> elements = new ArrayList<>();
			while (this.position < this.text.length) {
				int character = this.text[this.position++];
				if (character == '*' && !elements.isEmpty() && elements.get(elements.size() - 1) == STAR) {
					continue;
				}
				int start = this.position - 1;
				elements.add(switch (character) {
					case '*' -> STAR;
					case '?' -> ANY;
					case '[' -> characterClass();
					default -> (other) -> other == character;
				});
				this.texts.add(new String(this.text, start, this.position - start));
			}
			return elements.toArray(Element[]::new);
		}

		private Element characterClass() {
			boolean negated = next() == '!';
			if (negated) {
				this.position++;
			}
			List<Integer> ranges = new ArrayList<>();
			do {
				int first = next();
				this.position++;
				int last = first;
				if (next() == '-' && this.position + 1 < this.text.length && this.text[this.position + 1] != ']') {
					last = this.text[this.position + 1];
					this.position += 2;
				}
				if (last < first) {
					throw syntaxError();
				}
				ranges.add(first);
				ranges.add(last);
			}
			while (next() != ']');
			this.position++;
			return (character) -> negated != contains(ranges, character);
		}

		/**
		 * Returns whether a character is in any of the ranges, which are pairs of first
		 * and last character.
		 */
		private static boolean contains(List<Integer> ranges, int character) {
			for (int i = 0; i < ranges.size(); i += 2) {
				if (character >= ranges.get(i) && character <= ranges.get(i + 1)) {
					return true;
				}
			}
			return false;
		}

		private int next() {
			if (this.position == this.text.length) {
				throw syntaxError();
			}
			return this.text[this.position];
		}

	}

}
