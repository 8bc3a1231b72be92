package io.statestore.broker.security;

import java.util.List;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.GlobPattern;
import org.jspecify.annotations.Nullable;

/**
 * Checks one key against rules. Decodes the key at most once and measures the duration of
 * the check. Not thread-safe.
 */
final class KeyCheck {

	/**
	 * Maximum length of keys that patterns with wildcards can match, in bytes. Checking
	 * longer keys would delay other clients.
	 */
	static final int MAX_LENGTH = GlobPattern.MAX_LENGTH;

	/** Cost of a pattern without wildcards, in pattern steps. */
	private static final int STEPS_PER_PATTERN = 2;

	/** Cost of a pattern with wildcards in addition to its steps, in pattern steps. */
	private static final int STEPS_PER_GLOB = 16;

	private final Bytes key;

	private @Nullable String text;

	private long steps;

	/**
	 * Creates a check.
	 * @param key the key
	 */
	KeyCheck(Bytes key) {
		this.key = key;
	}

	/** Returns the number of steps so far, see {@link GlobPattern.Matcher#steps()}. */
	long steps() {
		return this.steps;
	}

	/** Returns whether any rule matches the key. */
	boolean matchesAny(List<Rule> rules) {
		// This is called for each request, so it avoids an iterator.
		for (int i = 0; i < rules.size(); i++) {
			if (matches(rules.get(i))) {
				return true;
			}
		}
		return false;
	}

	/** Returns whether a rule matches the key. */
	boolean matches(Rule rule) {
		this.steps += STEPS_PER_PATTERN;
		KeyPattern pattern = rule.key();
		if (pattern == null) {
			return false;
		}
		GlobPattern glob = pattern.glob();
		return (glob != null) ? matches(glob) : pattern.matchesText(this.key);
	}

	private boolean matches(GlobPattern glob) {
		if (this.key.length() > MAX_LENGTH) {
			return false;
		}
		GlobPattern.Matcher matcher = glob.matcher();
		boolean matches = matcher.matches(text());
		this.steps += STEPS_PER_GLOB + matcher.steps();
		return matches;
	}

	private String text() {
		String text = this.text;
		if (text == null) {
			text = this.key.toUtf8();
			this.text = text;
			this.steps += this.key.length();
		}
		return text;
	}

}
