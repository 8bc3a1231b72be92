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
 * Pattern of a SCAN (protocol section 2). {@code *} matches any number of characters,
 * {@code ?} one character, {@code [abc]} and {@code [a-z]} one of these, and
 * {@code [!abc]} one other than these. Any other character matches itself. Characters are
 * code points of the key decoded as UTF-8. A {@code ]} at the start of a class, and a
 * {@code -} at its start or end, belong to the class.
 * <p>
 * Matching simulates a nondeterministic automaton with one bit for each element of the
 * pattern (Baeza-Yates and Gonnet, "A New Approach to Text Searching", 1992; Wu and
 * Manber, "Fast Text Searching Allowing Errors", 1992). The work is bounded: one step for
 * each character of the key and each 64 elements, whatever the pattern.
 */
final class GlobPattern {

	/** Maximum length of a pattern in bytes. A longer one must be a plain key. */
	static final int MAX_LENGTH = 1024;

	private static final char MALFORMED = '\uFFFD';

	private static final Element ANY = (character) -> true;

	/** Element for any number of characters. Compared by identity. */
	private static final Element STAR = (character) -> false;

	/** Maximum size of {@link #accepting}. */
	private static final int MAX_CACHED = 4_096;

	private final Element[] elements;

	/** Number of longs with a bit for each element and one for the end. */
	private final int words;

	/** Bits of the elements that are stars. */
	private final long[] stars;

	/** Cache of the bits of the elements that accept a character. */
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
	 * @throws ProtocolException {@link ErrorReason#SYNTAX_ERROR} if a class is not closed,
	 * a range is not in order, or the pattern is too long
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

	/** Returns the only key that can match, {@code null} if there may be several. */
	@Nullable Bytes literal() {
		return this.literal;
	}

	/** Returns the work of all matches so far, in steps. */
	long steps() {
		return this.steps;
	}

	/** Returns whether a key matches. */
	boolean matches(Bytes key) {
		return (this.literal != null) ? this.literal.equals(key) : matches(key.toUtf8());
	}

	private boolean matches(String text) {
		// Bit i is set if the characters read so far match the elements before i
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

	/** Reads one character. Returns whether a match is still possible. */
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

	/** Skips stars, which match the empty string too. No star follows another. */
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
			if (this.accepting.size() < MAX_CACHED) {
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

	/** Element that matches one character, except {@link #STAR}. */
	@FunctionalInterface
	private interface Element {

		boolean accepts(int character);

	}

	/** Class of characters, as pairs of first and last character. */
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
