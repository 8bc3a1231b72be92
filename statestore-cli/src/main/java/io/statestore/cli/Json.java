package io.statestore.cli;

import java.io.InputStream;
import java.io.StringWriter;
import java.util.Map;

import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamWriteConstraints;
import tools.jackson.core.json.JsonFactory;

/** Reads and writes JSON without data binding, which would slow down startup. */
final class Json {

	/**
	 * Writes values nested as deeply as it can read, plus the enclosing object. Reads
	 * strings of any length, such as exported values.
	 */
	private static final JsonFactory FACTORY = JsonFactory.builder()
		.streamReadConstraints(StreamReadConstraints.builder().maxStringLength(Integer.MAX_VALUE).build())
		.streamWriteConstraints(
				StreamWriteConstraints.builder().maxNestingDepth(StreamReadConstraints.DEFAULT_MAX_DEPTH + 1).build())
		.build();

	private Json() {
	}

	/**
	 * Returns a JSON object.
	 * @param fields names and values: a {@link Number}, a {@link Boolean}, {@code null},
	 * or any other object, which is written as a string. A {@link ShownValue} in JSON
	 * format is written unchanged
	 */
	static String object(Map<String, ? extends @Nullable Object> fields) {
		StringWriter text = new StringWriter();
		try (JsonGenerator generator = FACTORY.createGenerator(ObjectWriteContext.empty(), text)) {
			generator.writeStartObject();
			fields.forEach((name, value) -> {
				generator.writeName(name);
				write(generator, value);
			});
			generator.writeEndObject();
		}
		return text.toString();
	}

	private static void write(JsonGenerator generator, @Nullable Object value) {
		if (value == null || value instanceof Boolean || value instanceof Number) {
			generator.writeRawValue(String.valueOf(value));
		}
		else if (value instanceof ShownValue shown && shown.format() == ShownValue.Format.JSON) {
			try (JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), shown.bytes().toArray())) {
				parser.nextToken();
				generator.copyCurrentStructureExact(parser);
			}
		}
		else {
			generator.writeString(value.toString());
		}
	}

	/** Returns a parser for a stream of JSON values. */
	static JsonParser parser(InputStream in) {
		return FACTORY.createParser(ObjectReadContext.empty(), in);
	}

	/** Returns whether the bytes are exactly one JSON object or array. */
	static boolean isObjectOrArray(Bytes bytes) {
		// Avoids loading the parser for other text.
		if (!bytes.toUtf8().stripLeading().matches("(?s)[{\\[].*")) {
			return false;
		}
		try (JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), bytes.toArray())) {
			parser.nextToken();
			parser.skipChildren();
			return parser.currentToken() != null && parser.nextToken() == null;
		}
		catch (JacksonException ex) {
			return false;
		}
	}

}
