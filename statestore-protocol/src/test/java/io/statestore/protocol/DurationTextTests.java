package io.statestore.protocol;

import java.time.Duration;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class DurationTextTests {

	@ParameterizedTest
	@CsvSource({ "0s, PT0S", "1ms, PT0.001S", "2s, PT2S", "3M, PT3M", "1h, PT1H", "999999999d, PT23999999976H" })
	void parsesNumberWithUnit(String text, Duration duration) {
		assertThat(DurationText.parse(text)).isEqualTo(duration);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "1", "s", "-1s", "1.5s", "1 s", "1w", "9999999999s" })
	void refusesMalformedDuration(String text) {
		assertThatIllegalArgumentException().isThrownBy(() -> DurationText.parse(text))
			.withMessageContaining("'" + text + "' is not a time");
	}

}
