package io.statestore.dafka.cli;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.DafkaRecord;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Conversion of text to records and of records to text. */
class RecordTextTests {

	@Test
	void formatsRecord() throws IOException {
		assertThat(format("%t/%p/%o: %s (%S, 100%%)%n")).isEqualTo("topic/AB/42: grün (5, 100%)\n");
		assertThat(format("%s\\t\\x25s\\0\\\\n")).isEqualTo("grün\t%s\0\\n");
		assertThat(format("")).isEmpty();
	}

	@Test
	void printsContentUnchanged() throws IOException {
		ByteArrayOutputStream out = new ByteArrayOutputStream();
		byte[] content = { 0, -1, 10, 37 };
		RecordFormat.of("%s\\xff").write(new DafkaRecord("t", "P", 0, Bytes.wrap(content)), out);
		assertThat(out.toByteArray()).containsExactly(0, -1, 10, 37, -1);
	}

	@Test
	void refusesUnknownTokens() {
		for (String wrong : List.of("%k", "%", "\\q", "\\", "\\x1")) {
			assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> RecordFormat.of(wrong))
				.withMessageContaining("write ");
		}
	}

	@Test
	void splitsInputAtDelimiter() throws IOException {
		assertThat(cut("a\n\nb", "\n")).containsExactly("a", "", "b");
		assertThat(cut("a\n", "\n")).containsExactly("a");
		assertThat(cut("", "\n")).isEmpty();
		assertThat(cut("1--2---3", "--")).containsExactly("1", "2", "-3");
		assertThat(cut("xaaab-", "aab")).containsExactly("xa", "-");
	}

	@Test
	void refusesTooLargeRecord() throws IOException {
		assertThat(cut("12345678\n1", "\n")).hasSize(2);
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> cut("123456789\n", "\n"))
			.withMessageContaining("larger than 8 bytes: check the delimiter");
	}

	private static String format(String format) throws IOException {
		ByteArrayOutputStream out = new ByteArrayOutputStream();
		RecordFormat.of(format).write(new DafkaRecord("topic", "AB", 42, Bytes.of("grün")), out);
		return out.toString(StandardCharsets.UTF_8);
	}

	private static List<String> cut(String text, String delimiter) throws IOException {
		RecordSender.Input input = new RecordSender.Input(
				new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)),
				delimiter.getBytes(StandardCharsets.UTF_8), 8);
		List<String> records = new ArrayList<>();
		for (byte[] record = input.next(); record != null; record = input.next()) {
			records.add(new String(record, StandardCharsets.UTF_8));
		}
		return records;
	}

}
