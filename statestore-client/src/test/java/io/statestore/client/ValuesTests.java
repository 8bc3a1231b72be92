package io.statestore.client;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.reflect.Type;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import net.jqwik.api.Assume;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.springframework.core.ParameterizedTypeReference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class ValuesTests {

	private static final Key KEY = Key.of("key");

	private static final Version VERSION = new Version(1, 2, "StateStore");

	private final InMemoryStateStore store = new InMemoryStateStore();

	private final StateStoreTemplate template = new StateStoreTemplate(this.store);

	@Property
	void stringsRoundTrip(@ForAll String text) {
		Assume.that(Utf8.encode(text) != null);
		Values values = new Values(null);
		assertThat(values.<String>read(KEY, values.write(KEY, text), VERSION, String.class)).isEqualTo(text);
	}

	@Property
	void bytesRoundTrip(@ForAll byte[] content) {
		Values values = new Values(null);
		assertThat(values.<byte[]>read(KEY, values.write(KEY, content), VERSION, byte[].class)).isEqualTo(content);
	}

	@Test
	void storesStringsAndBytesUnchanged() {
		this.template.set("text", "Größe");
		this.template.set("array", new byte[] { 1, 2 });
		this.template.set("bytes", Bytes.of("as is"));
		this.template.set("empty", "");
		assertThat(this.store.stored("text")).isEqualTo(Bytes.of("Größe"));
		assertThat(this.store.stored("array")).isEqualTo(Bytes.wrap(new byte[] { 1, 2 }));
		assertThat(this.template.get("bytes", Bytes.class)).map(Entry::value).contains(Bytes.of("as is"));
		assertThat(this.template.get("empty", String.class)).map(Entry::value).contains("");
		assertThat(this.template.get("text", new ParameterizedTypeReference<String>() {
		})).map(Entry::value).contains("Größe");
		assertThat(this.template.get("array", new ParameterizedTypeReference<byte[]>() {
		}).orElseThrow().value()).containsExactly(1, 2);
	}

	@Test
	void copiesArray() {
		byte[] array = { 1 };
		this.template.set("key", array);
		array[0] = 2;
		assertThat(this.store.stored("key")).isEqualTo(Bytes.wrap(new byte[] { 1 }));
	}

	@Test
	void refusesOtherTypesWithoutConverter() {
		assertThatExceptionOfType(StateStoreConversionException.class)
			.isThrownBy(() -> this.template.set("key", Instant.EPOCH))
			.withMessageContaining("java.time.Instant cannot be written as the value of key 'key'")
			.withMessageContaining("spring-boot-starter-jackson")
			.withMessageContaining("JacksonValueConverter");
		this.template.set("key", "1");
		assertThatExceptionOfType(StateStoreConversionException.class)
			.isThrownBy(() -> this.template.get("key", Integer.class))
			.withMessageContaining("The value of key 'key' (version ")
			.withMessageContaining("cannot be read as java.lang.Integer: there is no converter")
			.withMessageContaining("spring-boot-starter-jackson");
	}

	@Test
	void refusesToReadInvalidUtf8AsString() {
		this.template.set("key", new byte[] { (byte) 0xFF });
		assertThatExceptionOfType(StateStoreConversionException.class)
			.isThrownBy(() -> this.template.get("key", String.class))
			.withMessageContaining("it is not UTF-8. Read it as byte[] or Bytes");
		this.template.set("key", "\uFFFD");
		assertThat(this.template.get("key", String.class)).map(Entry::value).contains("\uFFFD");
	}

	@Test
	void refusesUnpairedSurrogate() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.template.set("key", "\uDC00"))
			.withMessageContaining("'value' has an unpaired surrogate");
	}

	@Test
	void refusesValueLargerThanPacket() {
		byte[] tooLong = new byte[300_000_000];
		assertThatExceptionOfType(StateStoreInvalidRequestException.class)
			.isThrownBy(() -> this.template.set("key", tooLong))
			.withMessage("The value of key 'key' has 300000000 bytes, but an MQTT packet holds at most 268435455. "
					+ "Split it over several keys, or store it elsewhere and only its location here");
		assertThat(this.template.async().set("key", tooLong)).isCompletedExceptionally();
		assertThat(this.store.commands).isEmpty();
	}

	@Test
	void refusesStringWithTooManyBytes() {
		Values values = new Values(null, 4);
		assertThat(values.write(KEY, "üü").length()).isEqualTo(4);
		assertThatExceptionOfType(StateStoreInvalidRequestException.class).isThrownBy(() -> values.write(KEY, "üüü"))
			.withMessageContaining("has 6 bytes");
		assertThatExceptionOfType(StateStoreInvalidRequestException.class).isThrownBy(() -> values.write(KEY, "ascii"))
			.withMessageContaining("has 5 bytes");
		assertThatExceptionOfType(StateStoreInvalidRequestException.class)
			.isThrownBy(() -> values.write(KEY, Bytes.of("ascii")));
	}

	@Test
	void stopsConverterThatWritesTooMuch() {
		Values values = new Values(new EndlessConverter(), 1000);
		assertThatExceptionOfType(StateStoreInvalidRequestException.class).isThrownBy(() -> values.write(KEY, 1))
			.withMessageContaining("has more than 1000 bytes");
	}

	@Test
	void concealsConverterMessages() {
		StateStoreTemplate failing = new StateStoreTemplate(this.store, new FailingConverter());
		this.template.set("key", "secret");
		assertThatExceptionOfType(StateStoreConversionException.class)
			.isThrownBy(() -> failing.get("key", Integer.class))
			.withMessageEndingWith("cannot be read as java.lang.Integer: java.lang.IllegalStateException "
					+ "caused by java.lang.NumberFormatException")
			.satisfies(ValuesTests::hasNoSecret)
			.havingCause()
			.satisfies((ex) -> assertThat(ex.getStackTrace()).extracting(StackTraceElement::getMethodName)
				.contains("parseInt"));
		assertThatExceptionOfType(StateStoreConversionException.class).isThrownBy(() -> failing.set("key", 1))
			.withMessageStartingWith(
					"java.lang.Integer cannot be written as the value of key 'key': java.io.IOException")
			.satisfies(ValuesTests::hasNoSecret);
		CompletableFuture<SetResult> future = failing.async().set("key", 1);
		assertThat(future).isCompletedExceptionally();
		assertThat(future.handle((result, ex) -> ex).join()).isInstanceOf(StateStoreConversionException.class);
	}

	@Test
	void entryDoesNotShowItsValue() {
		assertThat(new Entry<>(KEY, "secret", VERSION)).hasToString("Entry[key=key, version=1:2:StateStore]");
	}

	private static void hasNoSecret(Throwable ex) {
		assertThat(org.assertj.core.util.Throwables.getStackTrace(ex)).doesNotContain("secret");
	}

	private static final class EndlessConverter implements ValueConverter {

		@Override
		public void write(Object value, OutputStream target) throws IOException {
			try {
				while (true) {
					target.write(new byte[64]);
					target.write(1);
				}
			}
			catch (IllegalStateException ex) {
				// Serializers wrap exceptions of their output in the same way.
				throw new IllegalArgumentException("wrapped", ex);
			}
		}

		@Override
		public Object read(Bytes value, Type type) {
			throw new UnsupportedOperationException();
		}

	}

	private static final class FailingConverter implements ValueConverter {

		@Override
		public void write(Object value, OutputStream target) throws IOException {
			throw new IOException("secret");
		}

		@Override
		public Object read(Bytes value, Type type) {
			try {
				return Integer.parseInt(value.toUtf8());
			}
			catch (NumberFormatException ex) {
				throw new IllegalStateException("bad: " + value.toUtf8(), ex);
			}
		}

	}

}
