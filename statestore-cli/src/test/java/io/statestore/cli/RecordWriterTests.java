package io.statestore.cli;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;

import io.statestore.protocol.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

class RecordWriterTests {

	private static final String HOSTILE = "a\u001B[2Jb\u009Bc\nd\te\rf\u202Eg\u2028h";

	private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

	private final PrintStream out = new PrintStream(this.bytes, true, StandardCharsets.UTF_8);

	@ParameterizedTest
	@EnumSource(names = { "TABLE", "RAW" })
	void cellsContainNoControlCharacters(OutputFormat format) {
		try (RecordWriter records = new RecordWriter(this.out, format, "client")) {
			records.write(HOSTILE);
		}
		assertHarmless(1 + ((format == OutputFormat.TABLE) ? 1 : 0));
	}

	@Test
	void fieldsContainNoControlCharacters() {
		RecordWriter.print(this.out, OutputFormat.TABLE, Map.of("client", HOSTILE));
		assertHarmless(1);
	}

	@Test
	void rawFieldsContainNoControlCharacters() {
		RecordWriter.print(this.out, OutputFormat.RAW, Map.of("client", HOSTILE));
		assertHarmless(1);
	}

	@Test
	void fieldKeepsLineBreaksInValue() {
		RecordWriter.print(this.out, OutputFormat.TABLE, Map.of("value", ShownValue.of(Bytes.of("a\nb"), null)));
		assertThat(printed()).isEqualTo("value  a\n       b\n");
	}

	private void assertHarmless(int lines) {
		assertThat(printed().lines()).hasSize(lines);
		assertThat(printed()).contains("\\nd\\te").doesNotContain("\u001B", "\u009B", "\r", "\t", "\u202E", "\u2028");
	}

	private String printed() {
		return this.bytes.toString(StandardCharsets.UTF_8);
	}

}
