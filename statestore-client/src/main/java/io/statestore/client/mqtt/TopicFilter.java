package io.statestore.client.mqtt;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.eclipse.paho.mqttv5.common.util.MqttTopicValidator;
import org.jspecify.annotations.Nullable;

/** An MQTT topic filter, also of a shared subscription (MQTT 5 section 4.7). */
final class TopicFilter {

	private static final Pattern SHARED = Pattern.compile("\\$share/[^/]+/(.+)");

	private final String text;

	private final String filter;

	private final String[] levels;

	private final boolean wildcards;

	TopicFilter(String text) {
		this.text = text;
		Matcher shared = SHARED.matcher(text);
		this.filter = shared.matches() ? shared.group(1) : text;
		this.levels = this.filter.split("/", -1);
		this.wildcards = this.filter.indexOf('+') >= 0 || this.filter.indexOf('#') >= 0;
	}

	/**
	 * Checked.
	 * @throws IllegalArgumentException if this is no topic filter
	 */
	static TopicFilter valid(String text) {
		try {
			MqttTopicValidator.validate(text, true, true);
			return new TopicFilter(text);
		}
		catch (IllegalArgumentException ex) {
			throw new IllegalArgumentException("'" + text + "' is no MQTT topic filter: " + ex.getMessage(), ex);
		}
	}

	/** As given to the broker. */
	String text() {
		return this.text;
	}

	boolean matches(String topic) {
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
