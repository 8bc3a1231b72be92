package io.statestore.client.json;

import java.io.ByteArrayOutputStream;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.statestore.client.StateStoreConversionException;
import io.statestore.protocol.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.ParameterizedTypeReference;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class JacksonValueConverterTests {

	/** Mapper whose messages contain the source. */
	private final JacksonValueConverter converter = new JacksonValueConverter(JsonMapper.builder()
		.enable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
		.enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
		.build());

	@Test
	void convertsRecords() {
		Reading reading = new Reading("cpu", 0.5, Instant.parse("2026-01-02T03:04:05.678Z"));
		Bytes json = write(reading);
		assertThat(json.toUtf8()).contains("\"sensor\":\"cpu\"");
		assertThat(this.converter.read(json, Reading.class)).isEqualTo(reading);
	}

	@Test
	void convertsGenericTypes() {
		List<Reading> readings = List.of(new Reading("cpu", 0.5, Instant.EPOCH));
		assertThat(this.converter.read(write(readings), new ParameterizedTypeReference<List<Reading>>() {
		}.getType())).isEqualTo(readings);
		Map<String, List<Integer>> map = Map.of("a", List.of(1));
		assertThat(this.converter.read(write(map), new ParameterizedTypeReference<Map<String, List<Integer>>>() {
		}.getType())).isEqualTo(map);
	}

	@Test
	void convertsNumbersTimesAndBooleans() {
		for (Object value : List.of(42, Long.MAX_VALUE, 0.25, true, Instant.EPOCH)) {
			assertThat(this.converter.read(write(value), value.getClass())).isEqualTo(value);
		}
		assertThat(this.converter.read(Bytes.of("7"), int.class)).isEqualTo(7);
	}

	@Test
	void refusesJsonNull() {
		Bytes json = Bytes.of("null");
		assertThatExceptionOfType(StateStoreConversionException.class)
			.isThrownBy(() -> this.converter.read(json, Reading.class))
			.withMessageContaining("it is the JSON literal null. Read it as JsonNode");
		assertThat(((JsonNode) this.converter.read(json, JsonNode.class)).isNull()).isTrue();
		assertThat(this.converter.read(json, new ParameterizedTypeReference<Optional<Reading>>() {
		}.getType())).isEqualTo(Optional.empty());
	}

	@ParameterizedTest
	@ValueSource(strings = { "secret", "\"secret\"", "{\"sensor\":\"secret\"", "[\"secret\"]", "{\"load\":\"secret\"}",
			"{\"secret\":1}", "{\"at\":\"secret\"}", "{\"sensor\":\"secret\",\"load\":1} secret", "{\"load\":-666000}",
			"" })
	void concealsUnreadableValue(String json) {
		assertThatExceptionOfType(StateStoreConversionException.class)
			.isThrownBy(() -> this.converter.read(Bytes.of(json), Reading.class))
			.satisfies(JacksonValueConverterTests::hasNoSecret);
	}

	@Test
	void reportsPositionOfUnreadableValue() {
		String json = "[{\"load\":1},\n{\"load\":\"secret\"}]";
		assertThatExceptionOfType(StateStoreConversionException.class)
			.isThrownBy(() -> this.converter.read(Bytes.of(json), new ParameterizedTypeReference<List<Reading>>() {
			}.getType()))
			.withMessage("it is a JSON array (tools.jackson.databind.exc.InvalidFormatException, "
					+ "expected double at [1].load in line 2, column 9). Check the requested type, or read the value as JsonNode")
			.satisfies(JacksonValueConverterTests::hasNoSecret);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
			secret                  | it is text, not JSON (tools.jackson.core.exc.StreamReadException
			{"sensor":"secret"      | it is text, not JSON
			{"sensor":"x"} secret   | it is text, not JSON
			``                      | it is empty, not JSON
			"secret"                | it is a JSON string (
			666                     | it is a JSON number (
			true                    | it is a JSON boolean (
			["secret"]              | it is a JSON array (
			{"at":"secret"}         | it is a JSON object (
			""")
	void reportsStoredValueFormat(String stored, String message) {
		assertThatExceptionOfType(StateStoreConversionException.class)
			.isThrownBy(() -> this.converter.read(Bytes.of(stored), Reading.class))
			.withMessageStartingWith(message)
			.satisfies((ex) -> assertThat(ex.getMessage()).containsAnyOf(
					"Read the value as String or Bytes, or check which application writes the key",
					"Check the requested type, or read the value as JsonNode"))
			.satisfies(JacksonValueConverterTests::hasNoSecret);
	}

	@Test
	void reportsBinaryValue() {
		assertThatExceptionOfType(StateStoreConversionException.class)
			.isThrownBy(() -> this.converter.read(Bytes.wrap(new byte[] { (byte) 0xFF, 0 }), Reading.class))
			.withMessageStartingWith("it is binary data, not JSON");
	}

	@Test
	void concealsPropertyNamesThatContainData() {
		Bytes json = Bytes.of("{\"secret\":\"x\"}");
		assertThatExceptionOfType(StateStoreConversionException.class)
			.isThrownBy(() -> this.converter.read(json, new ParameterizedTypeReference<Map<String, Integer>>() {
			}.getType()))
			.withMessageContaining(" at ? in line 1")
			.satisfies(JacksonValueConverterTests::hasNoSecret);
	}

	@Test
	void reportsPositionOfConstructorFailure() {
		assertThatExceptionOfType(StateStoreConversionException.class)
			.isThrownBy(() -> this.converter.read(Bytes.of("{\"load\":-666000}"), Reading.class))
			.withMessageContaining("ValueInstantiationException caused by java.lang.IllegalArgumentException")
			.satisfies((ex) -> assertThat(ex.getStackTrace()[0].getClassName()).isEqualTo(Reading.class.getName()));
	}

	@Test
	void reportsUnsupportedType() {
		assertThatExceptionOfType(StateStoreConversionException.class)
			.isThrownBy(() -> this.converter.read(Bytes.of("\"secret\""), Opaque.class))
			.withMessageContaining("Jackson cannot handle " + Opaque.class.getName())
			.satisfies(JacksonValueConverterTests::hasNoSecret);
	}

	@Test
	void concealsUnwritableValue() {
		assertThatExceptionOfType(StateStoreConversionException.class).isThrownBy(() -> write(new Failing()))
			.withMessageContaining("caused by java.lang.IllegalStateException")
			.satisfies(JacksonValueConverterTests::hasNoSecret);
	}

	private Bytes write(Object value) {
		ByteArrayOutputStream target = new ByteArrayOutputStream();
		this.converter.write(value, target);
		return Bytes.wrap(target.toByteArray());
	}

	private static void hasNoSecret(Throwable ex) {
		assertThat(org.assertj.core.util.Throwables.getStackTrace(ex)).doesNotContain("secret").doesNotContain("666");
	}

	record Reading(@JsonProperty("sensor") String sensor, @JsonProperty("load") double load,
			@JsonProperty("at") Instant at) {

		Reading {
			if (load < 0) {
				throw new IllegalArgumentException("'load' must not be " + load);
			}
		}

	}

	interface Opaque {

		String content();

	}

	static final class Failing {

		public String getContent() {
			throw new IllegalStateException("secret");
		}

	}

}
