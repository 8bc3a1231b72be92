package io.statestore.boot;

import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.preinitialize.BackgroundPreinitializer;
import org.springframework.core.io.support.SpringFactoriesLoader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

class EmbeddedBrokerBackgroundPreinitializerTests {

	@Test
	void initializesWithoutFailure() {
		// Spring Boot ignores failures.
		assertThatNoException().isThrownBy(new EmbeddedBrokerBackgroundPreinitializer()::preinitialize);
	}

	@Test
	void isRegistered() {
		assertThat(SpringFactoriesLoader.forDefaultResourceLocation().load(BackgroundPreinitializer.class))
			.hasAtLeastOneElementOfType(EmbeddedBrokerBackgroundPreinitializer.class);
	}

}
