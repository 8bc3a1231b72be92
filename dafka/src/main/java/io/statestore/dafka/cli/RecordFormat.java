package io.statestore.dafka.cli;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.statestore.dafka.DafkaRecord;

/** Output format of records: a string with tokens like those of kcat. */
final class RecordFormat {

	private static final Pattern TOKEN = Pattern.compile("%(.?)", Pattern.DOTALL);

	private static final Pattern ESCAPE = Pattern.compile("\\\\(?:x([0-9a-fA-F]{2})|(.?))", Pattern.DOTALL);

	private static final String NAMES = "ntr0\\";

	private static final String MEANINGS = "\n\t\r\0\\";

	private final List<Part> parts;

	private RecordFormat(List<Part> parts) {
		this.parts = parts;
	}

	/**
	 * Parses a format.
	 * @throws IllegalArgumentException if it contains an unknown token or escape
	 */
	static RecordFormat of(String text) {
		List<Part> parts = new ArrayList<>();
		Matcher matcher = TOKEN.matcher(text);
		int end = 0;
		while (matcher.find()) {
			parts.add(literal(text.substring(end, matcher.start())));
			parts.add(token(matcher.group(1)));
			end = matcher.end();
		}
		parts.add(literal(text.substring(end)));
		return new RecordFormat(parts);
	}

	void write(DafkaRecord record, OutputStream out) throws IOException {
		for (Part part : this.parts) {
			part.write(record, out);
		}
	}

	private static Part literal(String text) {
		byte[] bytes = unescaped(text);
		return (record, out) -> out.write(bytes);
	}

	private static Part token(String name) {
		return switch (name) {
			case "s" -> (record, out) -> out.write(record.content().unwrap());
			case "t" -> text(DafkaRecord::topic);
			case "p" -> text(DafkaRecord::partition);
			case "o" -> text(DafkaRecord::offset);
			case "S" -> text((record) -> record.content().size());
			case "n" -> literal("\n");
			case "%" -> literal("%");
			default -> throw new IllegalArgumentException("'%" + name + "' is unknown; write %t topic, "
					+ "%p partition, %o offset, %s content, %S size of the content, %n newline, or %% percent sign");
		};
	}

	private static Part text(Function<DafkaRecord, Object> value) {
		return (record, out) -> out.write(value.apply(record).toString().getBytes(StandardCharsets.UTF_8));
	}

	/**
	 * Returns a delimiter or part of a format in UTF-8, replacing the escapes
	 * {@code \n \t \r \0 \\} and {@code \x1F}.
	 * @throws IllegalArgumentException if the string contains any other escape
	 */
	static byte[] unescaped(String text) {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		Matcher matcher = ESCAPE.matcher(text);
		int end = 0;
		while (matcher.find()) {
			bytes.writeBytes(text.substring(end, matcher.start()).getBytes(StandardCharsets.UTF_8));
			bytes.write(meaning(matcher));
			end = matcher.end();
		}
		bytes.writeBytes(text.substring(end).getBytes(StandardCharsets.UTF_8));
		return bytes.toByteArray();
	}

	private static int meaning(Matcher escape) {
		if (escape.group(1) != null) {
			return Integer.parseInt(escape.group(1), 16);
		}
		int name = escape.group(2).isEmpty() ? -1 : NAMES.indexOf(escape.group(2));
		if (name < 0) {
			throw new IllegalArgumentException("'" + escape.group()
					+ "' is not a valid escape; write \\n, \\t, \\r, \\0, \\\\, or \\x with two digits");
		}
		return MEANINGS.charAt(name);
	}

	@FunctionalInterface
	private interface Part {

		void write(DafkaRecord record, OutputStream out) throws IOException;

	}

}
