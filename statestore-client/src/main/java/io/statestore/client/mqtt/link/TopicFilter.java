package io.statestore.client.mqtt.link;

import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * An MQTT topic filter, also of a shared subscription (MQTT 5 sections 4.7 and 4.8.2).
 * <p>
 * Internal: not part of the API.
 */
public final class TopicFilter {

	private static final Pattern SHARED = Pattern.compile("\\$share/[^/]+/(.+)");

	/** Maximum length of an MQTT string in bytes. */
	private static final int MAX_LENGTH = 65_535;

	private final String text;

	private final String filter;

	private final String[] levels;

	private final boolean wildcards;

	/**
	 * Creates a topic filter without validation.
	 * @param text the filter as sent to the broker
	 */
	public TopicFilter(String text) {
		this.text = text;
		Matcher shared = SHARED.matcher(text);
		this.filter = shared.matches() ? shared.group(1) : text;
		this.levels = this.filter.split("/", -1);
		this.wildcards = this.filter.indexOf('+') >= 0 || this.filter.indexOf('#') >= 0;
	}

	/**
	 * Creates a valid topic filter.
	 * @param text the filter as sent to the broker
	 * @return the topic filter
	 * @throws IllegalArgumentException if MQTT does not allow this filter
	 */
	public static TopicFilter valid(String text) {
		TopicFilter result = new TopicFilter(text);
		String problem = result.problem();
		if (problem != null) {
			throw new IllegalArgumentException("'" + text + "' is not an MQTT topic filter: " + problem);
		}
		return result;
	}

	/** Returns the rule that this filter violates, or {@code null} if it is valid. */
	private @Nullable String problem() {
		int length = this.text.getBytes(StandardCharsets.UTF_8).length;
		if (length == 0 || length > MAX_LENGTH) {
			return "it must have 1 to " + MAX_LENGTH + " bytes, but has " + length;
		}
		if (this.text.indexOf('\0') >= 0) {
			return "it must not contain U+0000";
		}
		if (this.text.startsWith("$share/") && this.text.equals(this.filter)) {
			return "a shared subscription must have the form $share/<group>/<filter>";
		}
		for (int i = 0; i < this.levels.length; i++) {
			String level = this.levels[i];
			boolean wildcard = level.indexOf('+') >= 0 || level.indexOf('#') >= 0;
			if (wildcard && level.length() > 1) {
				return "a wildcard must occupy an entire level";
			}
			if (level.equals("#") && i < this.levels.length - 1) {
				return "'#' must be the last level";
			}
		}
		return null;
	}

	/**
	 * Returns the filter as sent to the broker.
	 * @return the filter
	 */
	public String text() {
		return this.text;
	}

	/**
	 * Returns whether a topic matches this filter.
	 * @param topic a topic name
	 * @return {@code true} if the topic matches
	 */
	public boolean matches(String topic) {
		if (!this.wildcards) {
			return topic.equals(this.filter);
		}
		// Wildcards in the first level do not cover topics of the broker itself.
		if (topic.startsWith("$") && !this.levels[0].startsWith("$")) {
			return false;
		}
		String[] topicLevels = topic.split("/", -1);
		for (int i = 0; i < this.levels.length; i++) {
			if (this.levels[i].equals("#")) {
				return true;
			}
			if (i >= topicLevels.length || (!this.levels[i].equals("+") && !this.levels[i].equals(topicLevels[i]))) {
				return false;
			}
		}
		return this.levels.length == topicLevels.length;
	}

	@Override
	public boolean equals(@Nullable Object object) {
		return object instanceof TopicFilter other && this.text.equals(other.text);
	}

	@Override
	public int hashCode() {
		return this.text.hashCode();
	}

	@Override
	public String toString() {
		return this.text;
	}

}
