package io.statestore.client.lock.annotation;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;

import io.statestore.client.InMemoryStateStore;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.listener.AnnotatedMethodException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Mono;

import org.springframework.aop.framework.Advised;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.http.ResponseEntity;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

import static org.assertj.core.api.Assertions.assertThat;

/** Checks of annotated methods at startup. */
class LockedMethodTests {

	private static AnnotationConfigApplicationContext context(Class<?>... beans) {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		context.registerBean(LockedAnnotationBeanPostProcessor.class);
		for (Class<?> bean : beans) {
			context.registerBean(bean);
		}
		return context;
	}

	private static String failure(AnnotationConfigApplicationContext context) {
		try (context) {
			context.refresh();
		}
		catch (RuntimeException ex) {
			Throwable cause = ex;
			while (cause != null) {
				if (cause instanceof AnnotatedMethodException found) {
					return String.valueOf(found.getMessage());
				}
				cause = cause.getCause();
			}
		}
		throw new AssertionError("No method was refused");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			NoName            | has no name for its lock
			BrokenName        | has the name 'a-#{#id', which cannot be parsed
			UnknownParameter  | no parameter 'idd'
			NoDuration        | has the attribute 'waitTime' 'soon', which is not a duration
			NegativeWait      | which is negative
			ShortLease        | has the attribute 'lease' PT0.001S. It must be 100 ms to 24 h
			LongHold          | has the attribute 'maxHold' PT8784H. It must be 100 ms to 365 days
			SkippedResult     | returns a value, which a skipped call does not have
			Reactive          | returns before its work is done
			PlainFuture       | returns before its work is done
			CompletedFuture   | returns before its work is done
			Stage             | returns before its work is done
			DerivedFuture     | returns before its work is done
			Task              | returns before its work is done
			WebResult         | returns before its work is done
			WebTask           | returns before its work is done
			WebEmitter        | returns before its work is done
			WebStream         | returns before its work is done
			PrivateMethod     | cannot be called through a proxy of its class
			FinalClass        | cannot be called through a proxy of its class
			""")
	void refusesInvalidMethod(String bean, String message) throws Exception {
		AnnotationConfigApplicationContext context = context(
				Class.forName(LockedMethodTests.class.getName() + "$" + bean));
		context.registerBean(StateStoreLockRegistry.class,
				() -> new StateStoreLockRegistry(new StateStoreTemplate(new InMemoryStateStore())));
		assertThat(failure(context)).startsWith("@Locked method " + LockedMethodTests.class.getName() + "$" + bean)
			.contains(message);
	}

	@Test
	void refusesToStartWithoutUniqueRegistry() {
		assertThat(failure(context(Valid.class))).contains("requires a unique StateStoreLockRegistry bean");
	}

	@Test
	void proxiesBeansWithLockedMethodsOnly() {
		try (AnnotationConfigApplicationContext context = context(Valid.class, Plain.class)) {
			context.registerBean(StateStoreLockRegistry.class,
					() -> new StateStoreLockRegistry(new StateStoreTemplate(new InMemoryStateStore())));
			context.refresh();
			assertThat(context.getBean(Valid.class)).isInstanceOf(Advised.class);
			assertThat(context.getBean(Plain.class).getClass()).isSameAs(Plain.class);
		}
	}

	static class NoName {

		@Locked(" ")
		void run() {
		}

	}

	static class BrokenName {

		@Locked("a-#{#id")
		void run(String id) {
		}

	}

	static class UnknownParameter {

		@Locked("a-#{#id != null ? #idd.length() : 0}")
		void run(String id) {
		}

	}

	static class NoDuration {

		@Locked(value = "a", waitTime = "soon")
		void run() {
		}

	}

	static class NegativeWait {

		@Locked(value = "a", waitTime = "-1s")
		void run() {
		}

	}

	static class ShortLease {

		@Locked(value = "a", lease = "1ms")
		void run() {
		}

	}

	static class LongHold {

		@Locked(value = "a", maxHold = "366d")
		void run() {
		}

	}

	static class SkippedResult {

		@Locked(value = "a", skipIfHeld = true)
		String run() {
			return "";
		}

	}

	static class Reactive {

		@Locked("a")
		Mono<String> run() {
			throw new UnsupportedOperationException();
		}

	}

	static class PlainFuture {

		@Locked("a")
		Future<String> run() {
			throw new UnsupportedOperationException();
		}

	}

	static class CompletedFuture {

		@Locked("a")
		CompletableFuture<String> run() {
			throw new UnsupportedOperationException();
		}

	}

	static class Stage {

		@Locked("a")
		CompletionStage<String> run() {
			throw new UnsupportedOperationException();
		}

	}

	static class DerivedFuture {

		@Locked("a")
		OwnFuture run() {
			throw new UnsupportedOperationException();
		}

	}

	static class OwnFuture extends CompletableFuture<String> {

	}

	static class Task {

		@Locked("a")
		Callable<String> run() {
			throw new UnsupportedOperationException();
		}

	}

	static class WebResult {

		@Locked("a")
		DeferredResult<String> run() {
			throw new UnsupportedOperationException();
		}

	}

	static class WebTask {

		@Locked("a")
		WebAsyncTask<String> run() {
			throw new UnsupportedOperationException();
		}

	}

	static class WebEmitter {

		@Locked("a")
		SseEmitter run() {
			throw new UnsupportedOperationException();
		}

	}

	static class WebStream {

		@Locked("a")
		ResponseEntity<StreamingResponseBody> run() {
			throw new UnsupportedOperationException();
		}

	}

	static class PrivateMethod {

		@Locked("a")
		private void run() {
		}

	}

	static final class FinalClass {

		@Locked("a")
		void run() {
		}

	}

	static class Valid {

		@Locked("a-#{#root.args[0].?[#this != #p0].length}")
		int number(String id) {
			return 0;
		}

	}

	static class Plain {

	}

}
