package io.statestore.sample.room;

import java.time.Instant;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class RejectedViewTests {

	@ParameterizedTest
	@CsvSource({ "1795428000007:0, 1795428000123:4, 1795428000, 007:0, 123:4", "17:0, 17:1, 17:, 0, 1",
			"unknown, 17:1, '', unknown, 17:1", "17:1, 17:1, 17:1, '', ''", "17:1, 17:12, 17:1, '', 2" })
	void separatesCommonBeginningOfTokens(String token, String newerToken, String common, String rest,
			String newerRest) {
		RejectedView view = RejectedView.of(new Rejected(1,
				new Rejected.Write("press-1", token, "press-2", newerToken, Instant.EPOCH), "The store refused it."));
		assertThat(view).extracting(RejectedView::common, RejectedView::token, RejectedView::newerToken)
			.containsExactly(common, rest, newerRest);
	}

	@Test
	void showsNothingBeforeFirstRejection() {
		assertThat(RejectedView.of(Rejected.NONE)).isNull();
	}

}
