package io.statestore.client.json;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

import io.statestore.protocol.Bytes;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.ObjectMapper;

/**
 * Format of a stored value, for messages. Describes the kind of value, never its content.
 *
 * @param description completes the sentence "it is …"
 * @param nextStep next step if another type was expected
 */
record StoredFormat(String description, String nextStep) {

	/** Detects a value's format. */
	static StoredFormat of(Bytes value, ObjectMapper mapper) {
		String format = mapper.tokenStreamFactory().getFormatName();
		try (JsonParser parser = mapper.createParser(value.toArray())) {
			JsonToken first = parser.nextToken();
			parser.skipChildren();
			if (first != null && parser.nextToken() == null) {
				return new StoredFormat(kindOf(first, format),
						"Check the requested type, or read the value as JsonNode");
			}
		}
		catch (JacksonException ex) {
			// The value has another format. The message may contain the value, so do not
			// use it.
		}
		return new StoredFormat(
				(value.isEmpty() ? "empty" : isText(value) ? "text" : "binary data") + ", not " + format,
				"Read the value as String or Bytes, or check which application writes the key");
	}

	private static String kindOf(JsonToken first, String format) {
		String article = "a " + format;
		return switch (first) {
			case START_OBJECT -> article + " object";
			case START_ARRAY -> article + " array";
			case VALUE_STRING -> article + " string";
			case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> article + " number";
			case VALUE_TRUE, VALUE_FALSE -> article + " boolean";
			default -> article + " value";
		};
	}

	private static boolean isText(Bytes value) {
		try {
			StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(value.toArray()));
			return true;
		}
		catch (CharacterCodingException ex) {
			return false;
		}
	}

}
