package io.statestore.dafka.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.statestore.dafka.DafkaRecord;

/** Output format of records: a text with tokens, like those of kcat. */
final class RecordFormat {

	private static final Pattern TOKEN = Pattern.compile("%(.?)", Pattern.DOTALL);

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

	/** Writes a record in this format. */
	void write(DafkaRecord record, OutputStream out) throws IOException {
		for (Part part : this.parts) {
			part.write(record, out);
		}
	}

	private static Part literal(String text) {
		byte[] bytes = Escapes.bytes(text);
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

	@FunctionalInterface
	private interface Part {

		void write(DafkaRecord record, OutputStream out) throws IOException;

	}

}
