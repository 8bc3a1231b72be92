package io.statestore.broker.engine;

import java.util.ArrayList;
import java.util.List;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.ProtocolException;
import org.jspecify.annotations.Nullable;

/**
 * The pattern of a SCAN (protocol section 2): {@code *} any characters, {@code ?} one,
 * {@code [abc]} and {@code [a-z]} one of these, {@code [!abc]} one but these; anything
 * else stands for itself. Characters are code points of the key read as UTF-8. A
 * {@code ]} that comes first in a class, and a {@code -} that comes first or last, are
 * characters of it.
 * <p>
 * Only the last {@code *} is ever tried again, so that a match takes at most the length
 * of the key times the length of the pattern.
 */
final class GlobPattern {

	/** A pattern that is longer may only be a plain key. */
	static final int MAX_LENGTH = 1024;

	private static final char MALFORMED = '\uFFFD';

	private static final Element ANY = (character) -> true;

	/** Compared by identity. */
	private static final Element STAR = (character) -> false;

	private final Element[] elements;

	private final @Nullable Bytes literal;

	private long steps;

	private GlobPattern(Element[] elements, @Nullable Bytes literal) {
		this.elements = elements;
		this.literal = literal;
	}

	/**
	 * @throws ProtocolException {@link ErrorReason#SYNTAX_ERROR} if a class is not closed
	 * or not in order, or the pattern is too long
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

	/** The only key that matches, {@code null} if there may be others. */
	@Nullable Bytes literal() {
		return this.literal;
	}

	/** How much work all matches together were. */
	long steps() {
		return this.steps;
	}

	boolean matches(Bytes key) {
		return (this.literal != null) ? this.literal.equals(key) : matches(key.toUtf8());
	}

	private boolean matches(String text) {
		int element = 0;
		int position = 0;
		int afterStar = -1;
		int starEnd = 0;
		while (position < text.length()) {
			this.steps++;
			int character = text.codePointAt(position);
			if (element < this.elements.length && this.elements[element] == STAR) {
				element++;
				afterStar = element;
				starEnd = position;
			}
			else if (element < this.elements.length && this.elements[element].accepts(character)) {
				element++;
				position += Character.charCount(character);
			}
			else if (afterStar >= 0) {
				element = afterStar;
				starEnd += Character.charCount(text.codePointAt(starEnd));
				position = starEnd;
			}
			else {
				return false;
			}
		}
		while (element < this.elements.length && this.elements[element] == STAR) {
			element++;
		}
		return element == this.elements.length;
	}

	private static ProtocolException syntaxError() {
		return new ProtocolException(ErrorReason.SYNTAX_ERROR);
	}

	/** What one character may be. */
	@FunctionalInterface
	private interface Element {

		boolean accepts(int character);

	}

	/** Pairs of first and last character. */
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
