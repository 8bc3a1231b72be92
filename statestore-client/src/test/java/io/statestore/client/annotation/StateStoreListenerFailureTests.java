package io.statestore.client.annotation;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.statestore.client.KeyChangeErrorHandler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.annotation.Bean;
import org.springframework.validation.Errors;
import org.springframework.validation.Validator;
import org.springframework.validation.annotation.Validated;

import static org.assertj.core.api.Assertions.assertThat;

/** Failures of annotated listeners. */
@Timeout(60)
class StateStoreListenerFailureTests extends AnnotatedListenerSetup {

	@Test
	void passesFailuresToErrorHandler() {
		Failing listeners = start(Failing.class);
		writer.set("key", new Setpoint(-1));
		writer.set("key", "no setpoint");
		writer.set("key", new Setpoint(13));
		writer.set("key", new Setpoint(1));
		awaitCalls(listeners.called, 1);
		assertThat(listeners.called).containsExactly(new Setpoint(1));
		assertThat(listeners.failures).hasSize(3);
		assertThat(listeners.failures.get(0)).startsWith("failing SET key ")
			.contains("is not valid: [degrees (negative)]")
			.doesNotContain("-1");
		assertThat(listeners.failures.get(1)).contains("cannot be read as");
		assertThat(listeners.failures.get(2)).contains("bad luck");
	}

	static class Failing {

		final List<Setpoint> called = new CopyOnWriteArrayList<>();

		final List<String> failures = new CopyOnWriteArrayList<>();

		@StateStoreListener(id = "failing", keys = "key", errorHandler = "remember")
		void changed(@Validated Setpoint setpoint) {
			if (setpoint.degrees() == 13) {
				throw new IllegalStateException("bad luck");
			}
			this.called.add(setpoint);
		}

		@Bean
		KeyChangeErrorHandler remember() {
			return (id, change, failure) -> this.failures
				.add(id + ' ' + change.operation() + ' ' + change.key() + ' ' + failure.getMessage());
		}

		@Bean
		Validator validator() {
			return Validator.forInstanceOf(Setpoint.class, (Setpoint setpoint, Errors errors) -> {
				if (setpoint.degrees() < 0) {
					errors.rejectValue("degrees", "negative");
				}
			});
		}

	}

}
