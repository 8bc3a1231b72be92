package io.statestore.client.cache;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import io.statestore.client.StateStoreConversionException;
import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

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

	/** The compiler chooses this type for the array of a mixed list. */
	@Test
	void restoresArrayOfSerializable() throws IOException {
		List<?> mixed = Arrays.asList(1, "text");
		assertThat(this.jdkOnly.read(write(this.jdkOnly, mixed), Object.class)).isEqualTo(mixed);
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

	@Test
	void refusesForgedArrayLength() throws IOException {
		byte[] forged = write(this.jdkOnly, new long[3]).toArray();
		ByteBuffer.wrap(forged).putInt(forged.length - 3 * Long.BYTES - Integer.BYTES, Integer.MAX_VALUE);
		assertRefused(Bytes.wrap(forged), "an array of 2147483647 elements");
	}

	@Test
	void refusesForgedCapacity() throws IOException {
		byte[] forged = write(this.jdkOnly, new ArrayList<>()).toArray();
		// The size comes before a block of four bytes and its end.
		ByteBuffer.wrap(forged).putInt(forged.length - 7 - Integer.BYTES, 100_000_000);
		assertRefused(Bytes.wrap(forged), "an array of 100000000 elements");
	}

	@Test
	void refusesDeepNest() throws IOException {
		Object nest = 1;
		for (int i = 0; i < BoundedObjectInput.MAX_DEPTH; i++) {
			nest = new ArrayList<>(List.of(nest));
		}
		assertRefused(write(this.jdkOnly, nest), "nested more than 100 levels deep");
		Object inner = ((List<?>) ((List<?>) nest).get(0)).get(0);
		assertThat(this.jdkOnly.read(write(this.jdkOnly, inner), Object.class)).isEqualTo(inner);
	}

	/** Without a limit, each level doubles the time to compute the hash code. */
	@Test
	@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
	void refusesSetsThatShareElements() throws IOException {
		Set<Object> root = new HashSet<>();
		Set<Object> first = root;
		Set<Object> second = new HashSet<>();
		for (int i = 0; i < 60; i++) {
			Set<Object> nextFirst = new HashSet<>(Set.of("distinct"));
			Set<Object> nextSecond = new HashSet<>();
			first.addAll(List.of(nextFirst, nextSecond));
			second.addAll(List.of(nextFirst, nextSecond));
			first = nextFirst;
			second = nextSecond;
		}
		assertRefused(write(this.jdkOnly, root), "collections that share too many elements");
	}

	@Test
	@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
	void refusesListsThatShareElements() throws IOException {
		List<Object> list = new ArrayList<>(List.of(1));
		for (int i = 0; i < 15; i++) {
			list = new ArrayList<>(Collections.nCopies(10, (Object) list));
		}
		ArrayList<Object> root = new ArrayList<>();
		// The hash code is not computed here, because the list is still empty.
		Object set = new HashSet<>(Set.of(root));
		root.addAll(list);
		assertRefused(write(this.jdkOnly, set), "collections that share too many elements");
	}

	@Test
	void restoresLargeCollections() throws IOException {
		Map<Object, Object> value = new LinkedHashMap<>();
		for (int i = 0; i < 20_000; i++) {
			value.put((i % 2 == 0) ? i : "key " + i, (i % 3 == 0) ? Arrays.asList(i, null, "text") : Set.of(i));
		}
		value.put("set", new HashSet<>(value.keySet()));
		value.put("shared", Collections.nCopies(1_000, new ArrayList<>(List.of("a", "b"))));
		assertThat(this.jdkOnly.read(write(this.jdkOnly, value), Object.class)).isEqualTo(value);
	}

	@Test
	void restoresSmallCollectionsOfManySizes() throws IOException {
		for (int size = 0; size < 200; size++) {
			Set<Object> set = new HashSet<>();
			for (int i = 0; i < size; i++) {
				set.add(String.valueOf((char) i));
			}
			assertThat(this.jdkOnly.read(write(this.jdkOnly, set), Object.class)).isEqualTo(set);
		}
	}

	@Test
	void endlessRecursionIsConversionFailure() throws IOException {
		Node node = new Node();
		for (int i = 0; i < 100_000; i++) {
			Node next = new Node();
			next.node = node;
			node = next;
		}
		Node deep = node;
		assertThatExceptionOfType(StateStoreConversionException.class).isThrownBy(() -> write(this.converter, deep))
			.withMessageContaining("nested too deeply");
		List<Object> cycle = new ArrayList<>();
		Set<Object> set = new HashSet<>();
		set.add(cycle);
		cycle.add(cycle);
		assertThatExceptionOfType(StateStoreConversionException.class)
			.isThrownBy(() -> this.jdkOnly.read(write(this.jdkOnly, set), Object.class))
			.withMessageContaining(StackOverflowError.class.getName());
	}

	private void assertRefused(Bytes value, String reason) {
		assertThatExceptionOfType(StateStoreConversionException.class)
			.isThrownBy(() -> this.jdkOnly.read(value, Object.class))
			.withMessageContaining(reason);
	}

	static final class Node implements Serializable {

		private static final long serialVersionUID = 1L;

		@Nullable Node node;

	}

	record Order(String key, List<Order> parts) implements Serializable {
	}

	static final class Plain {

	}

}
