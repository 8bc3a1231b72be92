package io.statestore.dafka.spring;

import java.lang.reflect.Type;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.DafkaRecord;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class DafkaValuesTests {

	private final DafkaValues values = new DafkaValues(new JacksonDafkaValueConverter(JsonMapper.builder().build()));

	@Test
	void leavesStringsAndBytesUnchanged() {
		assertThat(this.values.write("topic", "ü")).isEqualTo(Bytes.of("ü"));
		assertThat(this.values.write("topic", new byte[] { 1 })).isEqualTo(Bytes.wrap(new byte[] { 1 }));
		assertThat(read(Bytes.of("ü"), String.class)).isEqualTo("ü");
		assertThat(read(Bytes.of("a"), byte[].class)).isEqualTo(new byte[] { 'a' });
		assertThat(read(Bytes.of("a"), Bytes.class)).isEqualTo(Bytes.of("a"));
	}

	@Test
	void writesOtherTypesAsJson() {
		Bytes content = this.values.write("topic", new Oven(1));
		assertThat(content.toText()).isEqualTo("{\"celsius\":1}");
		assertThat(read(content, Oven.class)).isEqualTo(new Oven(1));
	}

	@Test
	void errorShowsLocationButNotValue() {
		assertThatThrownBy(() -> read(Bytes.of("\"secret\""), Oven.class)).isInstanceOf(DafkaConversionException.class)
			.hasMessageContainingAll("topic/partition/7", "Oven")
			.hasStackTraceContaining("Jackson")
			.satisfies((failure) -> assertThat(failure.toString() + failure.getCause()).doesNotContain("secret"));
		assertThatThrownBy(() -> this.values.write("topic", new Broken())).isInstanceOf(DafkaConversionException.class)
			.hasMessageContainingAll("topic", "Broken")
			.hasMessageNotContaining("secret");
	}

	@Test
	void refusesInvalidUnicode() {
		assertThatThrownBy(() -> read(Bytes.wrap(new byte[] { (byte) 0xff }), String.class))
			.hasMessageContainingAll("UTF-8", "byte[]");
		assertThatThrownBy(() -> this.values.write("topic", "\ud800")).hasMessageContaining("surrogate");
	}

	@Test
	@SuppressWarnings("NullAway")
	void refusesNull() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.values.write("topic", null))
			.withMessageContaining("'value'");
		assertThatThrownBy(() -> read(Bytes.of("null"), Oven.class)).hasMessageContaining("null");
	}

	@Test
	void namesMissingDependency() {
		assertThatThrownBy(() -> new DafkaValues(null).write("topic", new Oven(1))).hasMessageContainingAll("Oven",
				"spring-boot-starter-jackson");
	}

	private Object read(Bytes content, Type type) {
		return this.values.read(new DafkaRecord("topic", "partition", 7, content), type);
	}

	record Oven(int celsius) {
	}

	static class Broken {

		public String getState() {
			throw new IllegalStateException("secret");
		}

	}

}
