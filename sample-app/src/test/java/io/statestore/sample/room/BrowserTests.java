package io.statestore.sample.room;

import java.time.Duration;
import java.util.List;
import java.util.Objects;

import io.statestore.test.Browser;
import io.statestore.test.BrowserExtension;
import io.statestore.test.JavaProcess;
import io.statestore.test.RequiresProgram;
import io.statestore.test.Screenshots;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.openqa.selenium.Keys;
import org.openqa.selenium.TimeoutException;

import static org.assertj.core.api.Assertions.assertThat;

/** What a user sees first, in a real browser, with a real broker and real presses. */
@Timeout(180)
@Order(BrowserExtension.LAST)
@ExtendWith(LineExtension.class)
@RequiresProgram({ "chromium", "chromedriver" })
@Tag("long")
class BrowserTests {

	private final Browser browser;

	private final LinePage page;

	BrowserTests(Browser browser, LinePage page) {
		this.browser = browser;
		this.page = page;
	}

	@BeforeEach
	void open() {
		this.page.open();
	}

	@Test
	@Tag("nightly")
	void firstResponseShowsLineWithoutScripts() {
		this.browser.scripts(false);
		try {
			this.browser.open(this.page.url());
			assertThat(this.browser.count(":root[data-live]")).isZero();
			assertThat(this.browser.text("#leader-name")).matches("press-[12]");
			assertThat(this.browser.text("#leader-token")).matches("\\d+:\\d+");
			assertThat(this.browser.count("#machines [data-state]")).isEqualTo(2);
			assertThat(this.browser.text(LinePage.tile("press-1") + " [data-temperature]")).matches("\\d+\\.\\d");
			assertThat(this.browser.text("#setpoint-value")).matches("\\d+\\.\\d");
			assertThat(this.browser.count("#log li")).isPositive();
		}
		finally {
			this.browser.scripts(true);
		}
	}

	@Test
	void openPagesFollowAnotherProcess() {
		String window = this.browser.openWindow();
		this.page.open();
		String second = this.browser.window();
		for (String each : List.of(window, second)) {
			this.browser.use(each);
			this.browser.run("window.notReloaded = true");
		}
		try (JavaProcess other = JavaProcess.of(OtherApplication.class)
			.arguments(this.page.brokerPort(), "line/setpoint", "171.5")
			.start()) {
			assertThat(other.awaitExit()).isZero();
		}
		for (String each : List.of(second, window)) {
			this.browser.use(each);
			this.page.awaitSetpoint("171.5");
			this.page.awaitEntry("change", "The setpoint is 171.5 °C");
			assertThat(this.browser.run("return window.notReloaded")).isEqualTo(true);
		}
		String count = Objects.requireNonNull(this.browser.text("#changes"));
		this.browser.await("more changes", () -> !count.equals(this.browser.text("#changes")));
		this.browser.use(second);
		this.browser.closeWindow(window);
	}

	@Test
	@Tag("nightly")
	void storeRejectsWriteFromPausedLeader() {
		long rejected = this.page.rejected();
		if (Screenshots.areForDocumentation()) {
			this.page.awaitSteadyTemperatures();
		}
		String paused = "";
		// A process that was stopped between two batches does not write when it
		// continues.
		for (int i = 0; i < 5 && this.page.rejected() == rejected; i++) {
			paused = this.page.leader();
			this.page.click(paused, "pause");
			this.page.awaitState(paused, "Paused");
			this.page.awaitLeader(LinePage.other(paused));
			this.page.awaitBatch(LinePage.other(paused));
			assertThat(this.page.takeover()).isBetween(1_000L, 60_000L);
			this.page.click(paused, "resume");
			this.page.awaitLine();
			awaitMoreThan(rejected);
		}
		assertThat(this.page.rejected()).isGreaterThan(rejected);
		String other = LinePage.other(paused);
		assertThat(this.page.leader()).isEqualTo(other);
		assertThat(this.browser.text("#explanation .rejected"))
			.matches(".*The store refused the batch of " + paused + ".* is older than that of " + other + ".* " + paused
					+ " was paused, and did not know that it had lost its lock\\.");
		this.page.awaitEntry("rejected", "The store refused the batch of " + paused);
		this.page.awaitEntry("leader", other + " leads the line, [\\d,]+ ms after " + paused + " was paused\\.");
		assertThat(this.browser.element("#explanation .rejected").getCssValue("background-color"))
			.isEqualTo(this.browser.element("#rejected.alarm").getCssValue("color"));
		this.browser.screenshot("control-room", ":root", "[aria-labelledby=setpoint-title]");
	}

	private void awaitMoreThan(long rejected) {
		try {
			this.browser.await("a rejected write", Duration.ofSeconds(5), () -> this.page.rejected() > rejected);
		}
		catch (TimeoutException ex) {
			// The press was paused between two batches.
		}
	}

	@Test
	@Tag("nightly")
	void bannerShowsThatBrokerIsOffline() {
		String setpoint = Objects.requireNonNull(this.browser.text("#setpoint-value"));
		this.browser.click("#restart-broker");
		this.browser.awaitText("#banner .banner", "The broker is offline\\..*");
		this.browser.awaitText("#broker", "Broker offline");
		this.browser.awaitCount("#banner .banner", 0);
		this.browser.awaitText("#broker", "Broker connected");
		this.page.awaitLine();
		this.page.awaitEntry("failure", "The broker is offline");
		this.page.awaitEntry("change", "The broker is back");
		this.page.open();
		assertThat(this.browser.text("#setpoint-value")).isEqualTo(setpoint);
	}

	@Test
	void consoleShowsKeysAndTheirHistory() {
		this.browser.click("header a");
		this.browser.awaitText("#keys", ".*line/setpoint.*");
		this.browser.click("#pattern");
		this.browser.press("setpoint", Keys.ENTER);
		this.browser.awaitCount("#keys li", 1);
		this.browser.click("#keys button");
		this.browser.awaitText("#value", "\\d+\\.\\d");
		this.browser.awaitText("#history li:last-child", ".*set.*(press-.|control-room).*");
		this.browser.press(Keys.ESCAPE);
		this.browser.click("#locks summary");
		this.browser.awaitText("#locks ul", ".*line-leaderled by press-..*");
	}

	@Test
	@Tag("nightly")
	void fitsPhone() {
		this.browser.emulate(360, 760, true);
		this.browser.open(this.page.url());
		this.page.awaitLine();
		assertThat(this.browser.property(":root", "scrollWidth")).isEqualTo("360");
		this.browser.screenshot("control-room-phone", ":root", "#machines article");
	}

}
