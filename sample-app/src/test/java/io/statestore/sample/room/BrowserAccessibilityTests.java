package io.statestore.sample.room;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.statestore.sample.Ports;
import io.statestore.test.Browser;
import io.statestore.test.BrowserExtension;
import io.statestore.test.RequiresProgram;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.openqa.selenium.Keys;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The page in a real browser: with a keyboard, with a screen reader, on a phone, and in
 * both color schemes. Shows every state of a press simultaneously.
 */
@Tag("long")
@Timeout(120)
@TestInstance(Lifecycle.PER_CLASS)
@Order(BrowserExtension.LAST)
@ExtendWith(LineExtension.class)
@RequiresProgram({ "chromium", "chromedriver" })
@Tag("nightly")
class BrowserAccessibilityTests {

	private final Browser browser;

	private final ConfigurableApplicationContext room = FakeRoom.run(Map.of("server.port", 0));

	BrowserAccessibilityTests(Browser browser) {
		this.browser = browser;
	}

	@BeforeEach
	void open() {
		this.browser.emulate(1280, 1000, false);
		FakeRoom.fill(line());
		line().available(true);
		this.browser.open(LinePage.url(this.room));
		this.browser.awaitCount(":root[data-live=true]", 1);
	}

	private FakeLine line() {
		return this.room.getBean(FakeLine.class);
	}

	private List<String> done() {
		return this.room.getBean(FakeRoom.Actions.class).done();
	}

	@AfterAll
	void close() {
		this.browser.open("about:blank");
		this.room.close();
	}

	@Test
	void tabReachesEveryControlInOrderAndFocusIsVisible() {
		Set<String> reached = new LinkedHashSet<>();
		String name = focusNext();
		assertThat(name).isEqualTo("Skip to the line");
		while (!name.equals("body") && reached.add(name)) {
			assertThat(this.browser.run("""
					const style = getComputedStyle(document.activeElement);
					return style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2
						&& style.outlineColor !== getComputedStyle(document.body).backgroundColor;""")).as(name)
				.isEqualTo(true);
			name = focusNext();
		}
		assertThat(name).isEqualTo("body");
		assertThat(reached).containsSubsequence("Skip to the line", "Keys and history", "Restart broker", "Resign",
				"Pause press-1", "Kill press-1", "Cut the connection of press-1", "Continue press-2", "Start press-4",
				"setpoint", "log");
		assertThat((long) this.browser.count("a, button, input, select")).isEqualTo(reached.size() - 1);
	}

	/**
	 * Focuses the next element and returns its name; {@code body} after the last element.
	 */
	private String focusNext() {
		this.browser.press(Keys.TAB);
		return String.valueOf(this.browser.run("""
				const element = document.activeElement;
				return element === document.body ? 'body'
					: element.ariaLabel || element.id && !element.matches('button') && element.id
						|| element.textContent.trim();"""));
	}

	@Test
	void skipLinkLeadsToFirstLineControl() {
		focusNext();
		this.browser.press(Keys.ENTER);
		assertThat(focusNext()).isEqualTo("Resign");
	}

	@Test
	void keysPressButtonsAndMoveSliders() {
		focus("[data-press=press-1] [data-action=kill]");
		this.browser.press(Keys.ENTER);
		this.browser.await("kill", () -> done().contains("kill press-1"));
		focus("[data-press=press-1] [data-action=pause]");
		this.browser.press(Keys.SPACE);
		this.browser.awaitText("[data-press=press-1] [data-state]", "Paused");
		assertThat(this.browser.run("return document.activeElement.ariaLabel")).isEqualTo("Continue press-1");
		this.browser.press(Keys.SPACE);
		this.browser.awaitText("[data-press=press-1] [data-state]", "Running");
		focus("#setpoint");
		this.browser.press(Keys.ARROW_RIGHT);
		this.browser.await("setpoint", () -> done().contains("setpoint 150.5"));
		this.browser.awaitText("#setpoint-value", "150.5");
	}

	@Test
	void updatesKeepFocus() {
		focus("[data-press=press-1] [data-action=kill]");
		for (int i = 0; i < 3; i++) {
			batch(i);
			line().machine("press-1", 150 + i, Machine.RUNNING);
			this.browser.awaitText("#batch", i + " by press-1");
		}
		assertThat(this.browser.run("return document.activeElement.ariaLabel")).isEqualTo("Kill press-1");
	}

	private void batch(int number) {
		line().put("line/batch", "{\"number\":" + number + ",\"leader\":\"press-1\"}");
	}

	private void focus(String selector) {
		this.browser.run("document.querySelector(arguments[0]).focus()", selector);
	}

	@ParameterizedTest
	@CsvSource({ "1280, false", "1280, true", "360, false", "360, true" })
	void textHasContrast(int width, boolean dark) {
		showEverything();
		this.browser.emulate(width, 1000, dark);
		this.browser.await("end of the animations", () -> Boolean.TRUE.equals(this.browser.run("""
				return document.getAnimations().every((animation) => animation.playState === 'finished');""")));
		assertThat(Contrast.failures(this.browser)).isEmpty();
		this.browser.screenshot("everything-" + width + (dark ? "-dark" : "-light"), ":root", "body");
	}

	private void showEverything() {
		line().available(false);
		this.browser.awaitCount("#banner .banner", 1);
		this.browser.click("#resign");
		this.browser.awaitText("#problem", "The store is unavailable");
		List<String> problems = new ArrayList<>();
		this.browser.await("an error", () -> {
			problems.addAll(this.browser.problems());
			return !problems.isEmpty();
		});
		assertThat(problems).hasSize(1).allMatch((problem) -> problem.contains("503"));
	}

	@ParameterizedTest
	@ValueSource(ints = { 320, 360, 768, 1024 })
	void fitsWidth(int width) {
		showEverything();
		this.browser.emulate(width, 800, false);
		assertThat(this.browser.property(":root", "scrollWidth")).isEqualTo(String.valueOf(width));
		assertThat(this.browser
			.run("""
					return [...document.querySelectorAll('button, a, input, select')]
						.filter((element) => element.checkVisibility() && !element.matches('.skip'))
						.map((element) => [element.ariaLabel || element.id || element.textContent, element.getBoundingClientRect()])
						.filter(([name, box]) => box.width < 24 || box.height < 24 || box.left < 0 || box.right > innerWidth)
						.map(([name, box]) => `${name} ${box.width} x ${box.height} at ${box.left}`);"""))
			.asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.LIST)
			.isEmpty();
	}

	@Test
	void screenReaderFindsLandmarksHeadingsAndNames() {
		showEverything();
		AccessibilityTree tree = AccessibilityTree.of(this.browser);
		assertThat(tree.names("banner")).hasSize(1);
		assertThat(tree.names("main")).hasSize(1);
		assertThat(tree.names("region")).contains("Leading press and writes", "Presses", "Setpoint", "Events");
		assertThat(tree.names("article")).containsExactly("press-1 , Leader", "press-2", "press-3", "press-4");
		assertThat(tree.controls()).hasSizeGreaterThan(10)
			.allSatisfy((control) -> assertThat(control.name()).as(control.role()).isNotBlank());
		assertThat(tree.controls()).filteredOn((control) -> !control.name().matches("\\d+ .*"))
			.extracting(AccessibilityTree.Node::name)
			.doesNotHaveDuplicates();
		assertThat(tree.names("image")).anyMatch((name) -> name.startsWith("Temperature of press-1: now "));
		assertThat(tree.names("slider")).containsExactly("Setpoint");
		assertThat(tree.nodes("slider").findFirst().orElseThrow().description()).startsWith("One key of the store.");
		List<String> levels = new ArrayList<>(tree.nodes("heading").map(AccessibilityTree.Node::level).toList());
		assertThat(levels).startsWith("1").filteredOn("1"::equals).hasSize(1);
		for (int i = 1; i < levels.size(); i++) {
			assertThat(Integer.parseInt(levels.get(i))).isLessThanOrEqualTo(Integer.parseInt(levels.get(i - 1)) + 1);
		}
	}

	@Test
	void screenReaderReadsImportantChangesAloud() {
		AccessibilityTree tree = AccessibilityTree.of(this.browser);
		assertThat(tree.nodes("log")).singleElement().satisfies((log) -> {
			assertThat(log.name()).isEqualTo("Events");
			assertThat(log.live()).isEqualTo("polite");
		});
		assertThat(tree.nodes("alert")).allSatisfy((alert) -> assertThat(alert.live()).isEqualTo("assertive"));
		assertThat(this.browser.count("[role=alert]")).isEqualTo(4);
		assertThat(this.browser.count("[role=alert] .clash:not([aria-hidden=true])")).isZero();
		assertThat(this.browser.count("#machines [aria-live], #leader [aria-live]")).isZero();
	}

	@Test
	void connectionDoesNotRepeatAlerts() {
		Object script = this.browser.protocol("Page.addScriptToEvaluateOnNewDocument", Map.of("source", """
				window.changes = 0;
				addEventListener('DOMContentLoaded', () => {
					const watcher = new MutationObserver((changes) => window.changes += changes.length);
					for (const alert of document.querySelectorAll('[role=alert]')) {
						watcher.observe(alert, { childList: true, subtree: true });
					}
				});""")).get("identifier");
		open();
		batch(90);
		this.browser.awaitText("#batch", "90 by press-1");
		assertThat(this.browser.run("return window.changes")).isEqualTo(0L);
		line().available(false);
		this.browser.awaitCount("#banner .banner", 1);
		assertThat(this.browser.run("return window.changes")).isNotEqualTo(0L);
		this.browser.protocol("Page.removeScriptToEvaluateOnNewDocument", Map.of("identifier", script));
	}

	@Test
	void statesAreWordsNotOnlyColors() {
		assertThat(this.browser.run("""
				return [...document.querySelectorAll('[data-state]')].map((state) => state.textContent).join()"""))
			.isEqualTo("Running,Paused,Started elsewhere,Ended");
		assertThat(this.browser.text("#log .rejected .kind")).isEqualTo("Rejected");
		assertThat(this.browser.text(".rejected h2")).isEqualTo("Stale write rejected");
	}

	@Test
	void bannerShowsThatRoomIsOffline() {
		int port = Ports.free();
		try (ConfigurableApplicationContext first = FakeRoom.run(Map.of("server.port", port))) {
			FakeRoom.fill(first.getBean(FakeLine.class));
			this.browser.open(LinePage.url(first));
			this.browser.awaitCount(":root[data-live=true]", 1);
			this.browser.run("window.notReloaded = true");
		}
		this.browser.awaitText("#offline .banner", "The control room is offline\\..*");
		try (ConfigurableApplicationContext second = FakeRoom.run(Map.of("server.port", port))) {
			FakeLine line = second.getBean(FakeLine.class);
			FakeRoom.fill(line);
			line.put("line/batch", "{\"number\":91,\"leader\":\"press-2\"}");
			this.browser.awaitCount("#offline .banner", 0);
			this.browser.awaitText("#batch", "91 by press-2");
			assertThat(this.browser.run("return window.notReloaded")).isEqualTo(true);
			this.browser.open("about:blank");
		}
		assertThat(this.browser.problems()).allMatch((problem) -> problem.contains("ERR_CONNECTION_REFUSED"));
	}

}
