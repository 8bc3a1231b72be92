package io.statestore.dafka.spring;

import java.lang.ref.WeakReference;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.DafkaRecord;
import io.statestore.dafka.spring.DafkaErrorHandler.Action;
import io.statestore.listener.AnnotatedMethod;
import io.statestore.listener.MethodInvoker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.format.support.DefaultFormattingConversionService;
import org.springframework.util.ReflectionUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** How many records count as processed when calls do not succeed. */
@Timeout(60)
class RecordProcessorTests {

	private final Listener listener = new Listener();

	@Test
	void stopsBeforeRecordWhenBeanIsCollected() {
		Listener collected = new Listener();
		WeakReference<Listener> reference = new WeakReference<>(collected);
		RecordProcessor processor = processor(collected, true, DafkaErrorHandler.skip());
		collected = null;
		await("collected").until(() -> {
			System.gc();
			return reference.refersTo(null);
		});
		assertThat(processor.handle(records("0"))).isZero();
		assertThat(processor.records.sum()).isZero();
		assertThat(processor.failure()).isNull();
	}

	@Test
	void keepsProcessedPartWhenConversionFailsWithError() {
		RecordProcessor processor = processor(DafkaErrorHandler.skip());
		assertThat(processor.handle(records("0", "1", "error", "3"))).isEqualTo(2);
		assertThat(this.listener.got).containsExactly("0", "1");
		assertThat(processor.failure()).isInstanceOf(StackOverflowError.class);
		assertThat(processor.failures.sum()).isEqualTo(1);
	}

	@Test
	void keepsProcessedPartWhenListenerFailsWithError() {
		this.listener.then = (texts) -> {
			if (texts.contains("3")) {
				throw new StackOverflowError();
			}
		};
		RecordProcessor processor = processor(DafkaErrorHandler.skip());
		assertThat(processor.handle(records("0", "1", "bad", "3"))).isEqualTo(3);
		assertThat(processor.failure()).isInstanceOf(StackOverflowError.class);
	}

	@Test
	void keepsProcessedPartWhenErrorHandlerFailsWithError() {
		RecordProcessor processor = processor((failure) -> {
			throw new StackOverflowError();
		});
		assertThat(processor.handle(records("0", "1", "bad", "3"))).isEqualTo(2);
		assertThat(processor.failure()).isInstanceOf(StackOverflowError.class);
	}

	@Test
	@SuppressWarnings("NullAway")
	void keepsProcessedPartWhenErrorHandlerReturnsNull() {
		RecordProcessor processor = processor((failure) -> null);
		assertThat(processor.handle(records("0", "1", "bad", "3"))).isEqualTo(2);
		assertThat(processor.failure()).hasMessageContaining("null").hasCauseInstanceOf(DafkaConversionException.class);
	}

	@Test
	void skipsRecordWhenErrorHandlerThrowsItsCause() {
		RecordProcessor processor = processor((failure) -> {
			throw (RuntimeException) failure.cause();
		});
		assertThat(processor.handle(records("0", "bad", "2"))).isEqualTo(3);
		assertThat(this.listener.got).containsExactly("0", "2");
	}

	@Test
	void interruptFlagDoesNotReachNextPartOfBatch() {
		List<Boolean> flags = new ArrayList<>();
		this.listener.then = (texts) -> {
			flags.add(Thread.currentThread().isInterrupted());
			Thread.currentThread().interrupt();
		};
		RecordProcessor processor = processor((failure) -> Action.SKIP);
		assertThat(processor.handle(records("0", "bad", "2"))).isEqualTo(3);
		assertThat(flags).containsExactly(false, false);
		assertThat(Thread.interrupted()).isFalse();
	}

	private RecordProcessor processor(DafkaErrorHandler errorHandler) {
		return processor(this.listener, false, errorHandler);
	}

	private RecordProcessor processor(Listener listener, boolean weak, DafkaErrorHandler errorHandler) {
		Method method = ReflectionUtils.findMethod(Listener.class, "texts", List.class);
		assertThat(method).isNotNull();
		DafkaListener annotation = method.getAnnotation(DafkaListener.class);
		MethodInvoker invoker = new MethodInvoker.Factory(new DefaultFormattingConversionService(),
				new DefaultListableBeanFactory(), new MethodCall.ArgumentResolver())
			.create(new AnnotatedMethod<>(listener, "listener", Listener.class, method, annotation, weak));
		MethodCall call = new MethodCall(invoker, Text.class, true, new DafkaValues(new TextConverter()));
		return new RecordProcessor("test", call, errorHandler, 10);
	}

	private static List<DafkaRecord> records(String... texts) {
		return Stream.of(texts).map((text) -> new DafkaRecord("t", "P", 0, Bytes.of(text))).toList();
	}

	static final class Listener {

		private final List<String> got = new ArrayList<>();

		private Consumer<List<String>> then = (texts) -> {
		};

		@DafkaListener(topics = "t", batch = true)
		void texts(List<Text> texts) {
			List<String> values = texts.stream().map(Text::value).toList();
			this.got.addAll(values);
			this.then.accept(values);
		}

	}

	record Text(String value) {
	}

	private static final class TextConverter implements DafkaValueConverter {

		@Override
		public Bytes write(Object value) {
			throw new UnsupportedOperationException();
		}

		@Override
		public Object read(Bytes content, Type type) {
			String text = new String(content.toArray(), StandardCharsets.UTF_8);
			if (text.equals("bad")) {
				throw new IllegalArgumentException();
			}
			if (text.equals("error")) {
				throw new StackOverflowError();
			}
			return new Text(text);
		}

	}

}
