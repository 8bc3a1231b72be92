package io.statestore.sample.room;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.ProtocolException;
import io.statestore.protocol.Version;
import io.statestore.sample.press.PressNames;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.MissingNode;

/** Keys that presses write, as the control room reads them. */
final class LineKeys {

	/** Lock of the election. */
	static final String LEADER = "line-leader";

	static final String BATCH = "line/batch";

	static final String REJECTED = "line/rejected";

	static final String SETPOINT = "line/setpoint";

	static final List<String> ALL = List.of(LEADER, BATCH, REJECTED, SETPOINT);

	private static final String READING = "line/press-";

	private LineKeys() {
	}

	/**
	 * Returns the name of the press whose reading a key is, {@code null} if none. Any
	 * client can write a key, so a name can be invalid.
	 */
	static @Nullable String press(String key) {
		String name = key.startsWith(READING) ? key.substring("line/".length()) : "";
		return PressNames.isValid(name) ? name : null;
	}

	/** Returns the JSON of a value, missing if it is absent or malformed. */
	static JsonNode json(@Nullable Bytes value) {
		try {
			return (value != null) ? JsonMapper.shared().readTree(value.toArray()) : MissingNode.getInstance();
		}
		catch (JacksonException ex) {
			return MissingNode.getInstance();
		}
	}

	/** Returns a version in a JSON value, {@code null} if it is absent or malformed. */
	static @Nullable Version version(JsonNode value) {
		try {
			return Version.parse(value.asString(""));
		}
		catch (ProtocolException ex) {
			return null;
		}
	}

	/** Returns a time in a JSON value, {@code null} if it is absent or malformed. */
	static @Nullable Instant instant(JsonNode value) {
		try {
			return Instant.parse(value.asString(""));
		}
		catch (DateTimeParseException ex) {
			return null;
		}
	}

}
