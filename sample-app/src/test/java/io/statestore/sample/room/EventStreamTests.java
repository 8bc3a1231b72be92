package io.statestore.sample.room;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;

import io.statestore.sample.room.Machine.State;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/** Events of the page over real connections. */
@Timeout(120)
@TestInstance(Lifecycle.PER_CLASS)
@TestMethodOrder(OrderAnnotation.class)
class EventStreamTests {

	private static final Rejected.Write REJECTED = new Rejected.Write("press-1", "1:0", "<press>", "2:0", null);

	private final ConfigurableApplicationContext context = FakeRoom
		.run(Map.of("server.port", 0, "sample.page-interval", "20ms"));

	private final int port = this.context.getEnvironment().getRequiredProperty("local.server.port", Integer.class);

	private final FakeLine line = this.context.getBean(FakeLine.class);

	private final EventPages pages = this.context.getBean(EventPages.class);

	private final String run = this.context.getBean(PageRenderer.class).run();

	@AfterAll
	void close() {
		this.context.close();
	}

	@Test
	void sendsEverythingFirstThenOnlyWhatHasChanged() {
		this.line.machine("press-1", 150, true, State.RUNNING);
		this.line.put("first", "1");
		this.line.put("second", "2");
		try (OpenPage page = OpenPage.open(this.port)) {
			await().until(() -> "2".equals(page.value("second")));
			assertThat(page.text()).contains("Content-Type: text/event-stream;charset=UTF-8", "innerHTML:#machines",
					"data-press=\"press-1\"");
			this.line.put("first", "3");
			await().until(() -> "3".equals(page.value("first")));
			String update = event(page, (text) -> text.contains(">3<"));
			assertThat(update).contains("class=\"changed\"")
				.doesNotContain("#machines", "#log", ReadableText.id("k", "second"));
		}
	}

	@Test
	void keepsButtonsWhileReadingsChange() {
		this.line.machine("press-5", 150, false, State.RUNNING);
		String id = ReadableText.id("m", "press-5");
		try (OpenPage page = OpenPage.open(this.port)) {
			await().until(() -> page.text().contains(id + "-buttons"));
			this.line.machine("press-5", 161.5, false, State.RUNNING);
			String update = event(page, (text) -> text.contains("161.5"));
			assertThat(update).contains("innerHTML:#" + id + "-readings").doesNotContain("-buttons", "-head");
			this.line.change("press-5", (machine) -> new Machine(machine.name(), machine.temperature(), 60, 1, false,
					State.PAUSED, true, machine.temperatures()));
			assertThat(event(page, (text) -> text.contains("/resume"))).contains("innerHTML:#" + id + "-buttons");
		}
	}

	@Test
	void addsAndRemovesSingleRows() {
		this.line.put("row/a", "1");
		this.line.put("row/c", "1");
		try (OpenPage page = OpenPage.open(this.port)) {
			await().until(() -> page.value("row/c") != null);
			this.line.put("row/b", "new");
			String added = event(page, (text) -> text.contains(">new<"));
			assertThat(added).contains("hx-swap-oob=\"afterend:#" + ReadableText.id("k", "row/a") + "\"")
				.doesNotContain(ReadableText.id("k", "row/c"));
			this.line.remove("row/b");
			event(page, (text) -> text.contains("delete:#" + ReadableText.id("k", "row/b")));
		}
	}

	@Test
	void breaksOfLinesCannotEndAnEvent() {
		this.line.put("broken\r\n\r\nevent: other\n\n", "x\r\revent: other\n\ndata: y");
		try (OpenPage page = OpenPage.open(this.port)) {
			await().until(() -> page.value("broken\r\n\r\nevent: other\n\n") != null);
			assertThat(page.text().lines().filter((line) -> line.startsWith("event:"))).containsOnly("event: room");
			assertThat(PageRenderer.event("a\rb\r\nc\n\nd")).asString()
				.isEqualTo("event: room\ndata: a\ndata: b\ndata: c\ndata: d\n\n");
		}
	}

	@Test
	void twentyPagesGetTheLastValueOfEveryKey() {
		List<OpenPage> pages = new ArrayList<>();
		for (int i = 0; i < 20; i++) {
			pages.add(OpenPage.open(this.port));
		}
		for (int i = 0; i < 2000; i++) {
			this.line.put("load/" + i % 50, "value " + i);
		}
		long changes = this.line.changes();
		for (OpenPage page : pages) {
			await().until(() -> page.changes() == changes);
			for (int i = 0; i < 50; i++) {
				String key = "load/" + i;
				await().until(() -> ("value " + (1950 + Integer.parseInt(key.substring(5)))).equals(page.value(key)));
			}
			page.close();
		}
		await().untilAsserted(() -> assertThat(this.pages.size()).isZero());
	}

	@Test
	void pageThatDoesNotReadDelaysNoOtherAndCatchesUp() {
		await().until(() -> this.pages.size() == 0);
		try (OpenPage slow = OpenPage.stalled(this.port, "/events"); OpenPage page = OpenPage.open(this.port)) {
			await().until(() -> this.pages.size() == 2 && this.pages.behind() == 0);
			long written = 0;
			for (int round = 0; this.pages.behind() == 0; round++) {
				long expected = change("slow", round, 100_000);
				await().until(() -> page.changes() == expected);
				written++;
			}
			assertThat(written).isPositive().isLessThan(2000);
			slow.read();
			await().until(() -> slow.changes() == this.line.changes());
			this.line.put("slow", "last");
			await().until(() -> "last".equals(slow.value("slow")));
		}
	}

	@Test
	void closesPageThatNeverReads() {
		await().until(() -> this.pages.size() == 0);
		try (OpenPage dead = OpenPage.stalled(this.port, "/events"); OpenPage page = OpenPage.open(this.port)) {
			await().until(() -> this.pages.size() == 2 && this.pages.behind() == 0);
			for (int round = 0; this.pages.size() > 1; round++) {
				long expected = change("dead", round, (this.pages.behind() == 0) ? 100_000 : 1);
				await().until(() -> page.changes() == expected);
			}
			assertThat(page.ended()).isFalse();
			dead.read();
			await().until(dead::ended);
		}
	}

	/**
	 * Changes a key, and a text of some length.
	 * @return the number of changes of keys
	 */
	private long change(String key, int round, int length) {
		this.line.reject(round, REJECTED, "x".repeat(length));
		this.line.put(key, "round " + round);
		return this.line.changes();
	}

	@Test
	void showsTimeWhenNothingChanges() {
		try (OpenPage page = OpenPage.open(this.port)) {
			await().until(() -> page.events() > 2);
			assertThat(page.latest()).contains("#clock").doesNotContain("#changes");
		}
	}

	@Test
	void doesNotRepeatLogThatThePageHas() {
		this.line.log(LogEntry.Kind.FAILURE, "press-1 has been killed.");
		long last = this.line.log().get(this.line.log().size() - 1).number();
		try (OpenPage page = OpenPage.stalled(this.port, "/events?log=" + last + "&run=" + this.run);
				OpenPage other = OpenPage.open(this.port)) {
			page.read();
			await().until(() -> page.events() > 0 && other.events() > 0);
			assertThat(page.text()).doesNotContain("#log");
			assertThat(other.text()).contains("innerHTML:#log", "press-1 has been killed.");
			this.line.log(LogEntry.Kind.LEADER, "press-2 leads.");
			assertThat(event(page, (text) -> text.contains("press-2 leads."))).contains("afterbegin:#log")
				.doesNotContain("press-1 has been killed.");
		}
	}

	@Test
	void sendsLogAgainAfterRoomWasStartedAgain() {
		this.line.log(LogEntry.Kind.FAILURE, "press-3 has been killed.");
		long last = this.line.log().get(this.line.log().size() - 1).number();
		try (OpenPage page = OpenPage.stalled(this.port, "/events?log=" + last + "&run=earlier")) {
			page.read();
			await().until(() -> page.events() > 0);
			assertThat(page.text()).contains("innerHTML:#log", "press-3 has been killed.");
		}
	}

	@Test
	void showsRejectedWriteAndOfflineBroker() {
		try (OpenPage page = OpenPage.open(this.port)) {
			await().until(() -> page.events() > 0);
			this.line.reject(7, REJECTED, "The store refused <the> batch.");
			assertThat(event(page, (text) -> text.contains("refused"))).contains("innerHTML:#explanation",
					"The store refused &lt;the&gt; batch.", "class=\"alarm\">7<");
			this.line.available(false);
			assertThat(event(page, (text) -> text.contains("The broker is offline."))).contains("innerHTML:#banner",
					"Broker offline");
			this.line.available(true);
			assertThat(event(page, (text) -> text.contains("Broker connected") && !text.contains("#machines")))
				.doesNotContain("The broker is offline.");
		}
	}

	@Test
	void refusesTooManyPages() {
		await().until(() -> this.pages.size() == 0);
		List<OpenPage> pages = new ArrayList<>();
		for (int i = 0; i < EventPages.MAX_PAGES + 20; i++) {
			pages.add(OpenPage.open(this.port));
		}
		await().untilAsserted(() -> assertThat(pages.stream().filter(OpenPage::ended)).hasSize(20)
			.allMatch((page) -> page.text().startsWith("HTTP/1.1 503")));
		assertThat(this.pages.size()).isEqualTo(EventPages.MAX_PAGES);
		pages.forEach(OpenPage::close);
		await().until(() -> this.pages.size() == 0);
	}

	@Test
	@Order(Integer.MAX_VALUE)
	void endsPagesBeforeTheServerStops() {
		try (OpenPage page = OpenPage.open(this.port)) {
			await().until(() -> page.events() > 0);
			long start = System.nanoTime();
			this.context.close();
			// Without it, the server waits 30 s for open requests.
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(15));
			await().until(page::ended);
		}
	}

	private static ConditionFactory await() {
		return Awaitility.await().atMost(Duration.ofSeconds(60));
	}

	/** Waits for an event, and returns the latest one that fulfills the condition. */
	private static String event(OpenPage page, Predicate<String> condition) {
		return await().until(() -> Stream.of(page.text().split("\n\n"))
			.filter(condition)
			.reduce((first, second) -> second)
			.orElse(""), (event) -> !event.isEmpty());
	}

}
