package io.statestore.client.cache;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.Serializable;
import java.time.LocalDate;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.statestore.client.StateStoreConversionException;
import io.statestore.protocol.Bytes;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class SerializedValueConverterTests {

	private final SerializedValueConverter jdkOnly = new SerializedValueConverter();

	private final SerializedValueConverter converter = new SerializedValueConverter(
			List.of(getClass().getPackageName()), getClass().getClassLoader());

	private static Bytes write(SerializedValueConverter converter, Object value) throws IOException {
		ByteArrayOutputStream target = new ByteArrayOutputStream();
		converter.write(value, target);
		return Bytes.wrap(target.toByteArray());
	}

	@Test
	void restoresTypesOfTheJdk() throws IOException {
		Map<String, Object> value = Map.of("date", LocalDate.EPOCH, "array", List.of(1, 2L), "enum",
				new EnumMap<>(Map.of(TimeUnit.DAYS, "days")));
		assertThat(this.jdkOnly.read(write(this.jdkOnly, value), Object.class)).isEqualTo(value);
		assertThat(this.jdkOnly.read(write(this.jdkOnly, new int[][] { { 1 } }), Object.class))
			.isEqualTo(new int[][] { { 1 } });
	}

	@Test
	void restoresTypesOfAllowedPackages() throws IOException {
		Order order = new Order("key", List.of(new Order("nested", List.of())));
		assertThat(this.converter.read(write(this.converter, order), Object.class)).isEqualTo(order);
	}

	@Test
	void refusesToReadTypesOfOtherPackages() throws IOException {
		Bytes bytes = write(this.converter, List.of(new Order("key", List.of())));
		assertThatExceptionOfType(StateStoreConversionException.class)
			.isThrownBy(() -> this.jdkOnly.read(bytes, Object.class))
			.withMessageContaining(Order.class.getName())
			.withMessageContaining("statestore.cache.allowed-packages");
	}

	@Test
	void refusesToWriteTypesOfOtherPackages() {
		assertThatExceptionOfType(StateStoreConversionException.class)
			.isThrownBy(() -> write(this.jdkOnly, List.of(new Order("key", List.of()))))
			.withMessageContaining(Order.class.getName());
	}

	@Test
	void packageWithTheSameBeginningIsNotAllowed() {
		SerializedValueConverter shorter = new SerializedValueConverter(List.of("io.statestore.client.cach"), null);
		assertThatExceptionOfType(StateStoreConversionException.class)
			.isThrownBy(() -> write(shorter, new Order("key", List.of())));
	}

	@Test
	void namesTypeThatIsNotSerializable() {
		assertThatExceptionOfType(StateStoreConversionException.class)
			.isThrownBy(() -> write(this.converter, List.of(new Plain())))
			.withMessageContaining(Plain.class.getName() + " is not Serializable");
	}

	record Order(String key, List<Order> parts) implements Serializable {
	}

	static final class Plain {

	}

}
