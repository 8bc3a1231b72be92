package io.statestore.sample.room;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;

import io.statestore.test.JavaProcess;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/** 20 open pages and 200 changes per second cost less than one core and drop nothing. */
@Tag("long")
@Tag("measuring")
@Timeout(120)
class PageCostTests {

	private static final int RATE = 200;

	private static final int COUNT = RATE * 6;

	@Test
	void twentyPagesCostLessThanOneCore() {
		try (JavaProcess room = JavaProcess.of(FakeRoom.class).arguments(RATE, COUNT).start()) {
			int port = Integer.parseInt(room.await("^port (\\d+)$").group(1));
			List<OpenPage> pages = new ArrayList<>();
			for (int i = 0; i < 20; i++) {
				pages.add(OpenPage.open(port));
			}
			pages.forEach((page) -> await().until(() -> page.updates() > 0));
			room.write("start");
			MatchResult end = room.await("^changes (\\d+) cpu (\\S+) seconds (\\S+)$");
			long changes = Long.parseLong(end.group(1));
			for (OpenPage page : pages) {
				await().until(() -> page.changes() == changes);
				for (int i = 0; i < 200; i++) {
					assertThat(page.value("line/load/" + i))
						.startsWith("{&quot;number&quot;:" + (COUNT - 200 + i) + ",");
				}
			}
			double cost = Double.parseDouble(end.group(2)) / Double.parseDouble(end.group(3));
			System.out.printf("20 pages, %d changes per second: %.3f CPU seconds per second, %d updates of each page%n",
					RATE, cost, pages.get(0).updates());
			assertThat(cost).isLessThan(1);
			pages.forEach(OpenPage::close);
		}
	}

	private static ConditionFactory await() {
		return Awaitility.await().atMost(Duration.ofSeconds(60));
	}

}
