package io.statestore.broker.engine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.ProtocolException;
import org.jspecify.annotations.Nullable;

/**
 * The pattern of a SCAN (protocol section 2). {@code *} matches any characters, {@code ?}
 * one character, {@code [abc]} and {@code [a-z]} one of a set, {@code [!abc]} one outside
 * the set. All other characters match themselves. Characters are code points of the key,
 * decoded as UTF-8. A {@code ]} at the start of a set and a {@code -} at its start or end
 * are members of the set.
 * <p>
 * The pattern is a nondeterministic automaton with one bit per state (Baeza-Yates and
 * Gonnet, "A New Approach to Text Searching", 1992). Each character of the key takes one
 * step per 64 elements of the pattern, so no pattern needs exponential time.
 */
final class GlobPattern {

	/** Maximum length of a pattern with wildcards in bytes. */
	static final int MAX_LENGTH = 1024;

	private static final char MALFORMED = '\uFFFD';

	private static final Element ANY = (character) -> true;

	/** Element of a {@code *}, compared by identity. */
	private static final Element STAR = (character) -> false;

	/** Maximum number of characters in the cache {@link #accepting}. */
	private static final int KEPT = 4_096;

	private final Element[] elements;

	/** Number of longs with one bit per element and one for the end of the pattern. */
	private final int words;

	/** Bits of the elements that are stars. */
	private final long[] stars;

	/** Cache: for each character, the bits of the elements that accept it. */
	private final Map<Integer, long[]> accepting = new HashMap<>();

	private final @Nullable Bytes literal;

	private long steps;

	private GlobPattern(Element[] elements, @Nullable Bytes literal) {
		this.elements = elements;
		this.literal = literal;
		this.words = elements.length / Long.SIZE + 1;
		this.stars = bits((element) -> element == STAR);
	}

	/**
	 * Parses a pattern.
	 * @throws ProtocolException with {@link ErrorReason#SYNTAX_ERROR} if a set is not
	 * closed, a range is reversed, or the pattern is too long
	 */
	static GlobPattern of(Bytes pattern) {
		String text = pattern.toUtf8();
		if (text.chars().noneMatch((character) -> "*?[".indexOf(character) >= 0 || character == MALFORMED)) {
			return new GlobPattern(new Element[0], pattern);
		}
		if (pattern.length() > MAX_LENGTH) {
			throw syntaxError();
		}
		return new GlobPattern(new Parser(text.codePoints().toArray()).parse(), null);
	}

	/** Returns the only matching key, or {@code null} if the pattern has wildcards. */
	@Nullable Bytes literal() {
		return this.literal;
	}

	/** Returns the number of steps of all matches so far, as a measure of time. */
	long steps() {
		return this.steps;
	}

	boolean matches(Bytes key) {
		return (this.literal != null) ? this.literal.equals(key) : matches(key.toUtf8());
	}

	private boolean matches(String text) {
		// Bit i is set if the characters read so far match the elements before i.
		long[] states = new long[this.words];
		states[0] = 1;
		skipStars(states);
		boolean alive = true;
		for (int i = 0; i < text.length() && alive; i += Character.charCount(text.codePointAt(i))) {
			this.steps += this.words;
			alive = read(text.codePointAt(i), states);
		}
		return alive && isSet(states, this.elements.length);
	}

	/** Advances all states by one character. Returns whether any state is left. */
	private boolean read(int character, long[] states) {
		long[] accepting = accepting(character);
		long carry = 0;
		long any = 0;
		for (int i = 0; i < states.length; i++) {
			long moving = states[i] & accepting[i];
			states[i] = (states[i] & this.stars[i]) | (moving << 1) | carry;
			carry = moving >>> 63;
			any |= states[i];
		}
		skipStars(states);
		return any != 0;
	}

	/**
	 * Adds the states after stars, which also match nothing. The parser has merged
	 * adjacent stars.
	 */
	private void skipStars(long[] states) {
		long carry = 0;
		for (int i = 0; i < states.length; i++) {
			long skipping = states[i] & this.stars[i];
			states[i] |= (skipping << 1) | carry;
			carry = skipping >>> 63;
		}
	}

	private long[] accepting(int character) {
		long[] result = this.accepting.get(character);
		if (result == null) {
			this.steps += this.elements.length;
			result = bits((element) -> element.accepts(character));
			if (this.accepting.size() < KEPT) {
				this.accepting.put(character, result);
			}
		}
		return result;
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

	/** A matcher for one character. */
	@FunctionalInterface
	private interface Element {

		boolean accepts(int character);

	}

	/**
	 * A set of characters.
	 *
	 * @param negated whether the set matches all other characters
	 * @param ranges pairs of first and last character
	 */
	private record CharacterClass(boolean negated, int[] ranges) implements Element {

		@Override
		public boolean accepts(int character) {
			for (int i = 0; i < this.ranges.length; i += 2) {
				if (character >= this.ranges[i] && character <= this.ranges[i + 1]) {
					return !this.negated;
				}
			}
			return this.negated;
		}

	}

	private static final class Parser {

		private final int[] text;

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
				elements.add(switch (character) {
					case '*' -> STAR;
					case '?' -> ANY;
					case '[' -> characterClass();
					default -> (other) -> other == character;
				});
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
			return new CharacterClass(negated, ranges.stream().mapToInt(Integer::intValue).toArray());
		}

		private int next() {
			if (this.position == this.text.length) {
				throw syntaxError();
			}
			return this.text[this.position];
		}

	}

}
