package io.statestore.sample.room;

import io.statestore.test.BrowserExtension;
import io.statestore.test.Browser;
import java.nio.file.Path;
import java.util.Objects;

import io.statestore.sample.Ports;
import io.statestore.test.RequiresProgram;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.support.ui.Select;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/** The history on the page, in a real browser. */
@Tag("long")
@Timeout(180)
@Order(BrowserExtension.LAST)
@ExtendWith(LineExtension.class)
@RequiresProgram({ "chromium", "chromedriver" })
@Tag("nightly")
class BrowserHistoryTests {

	private static final String STORE_ROW = "#history-store [data-key='line/setpoint'] .value";

	private final Browser browser;

	private final LinePage page;

	BrowserHistoryTests(Browser browser, LinePage page) {
		this.browser = browser;
		this.page = page;
	}

	@Test
	void showsChangesOfKeyAndStoreAtMoment() {
		this.page.open();
		moveSetpoint(Keys.HOME, "100.0");
		moveSetpoint(Keys.PAGE_UP, ".*");
		String former = Objects.requireNonNull(this.browser.text("#setpoint-value"));
		moveSetpoint(Keys.END, "200.0");
		choose("line/setpoint");
		this.browser.awaitText("#history-changes tr:first-child .value", "200.0");
		this.browser.awaitText("#history-changes tr:first-child .author", "control-room");
		this.browser.awaitText("#history-changes tr:nth-child(2) .value", former);
		this.browser.awaitText(STORE_ROW, "200.0");
		this.browser.click("#moment-previous");
		this.browser.awaitText(STORE_ROW, former);
		this.browser.awaitText("#history-changes .current .value", former);
		this.browser.click("#moment-next");
		this.browser.awaitText(STORE_ROW, "200.0");
		this.browser.click("#history-changes tr:last-child [data-moment]");
		this.browser.awaitText(STORE_ROW,
				Objects.requireNonNull(this.browser.text("#history-changes tr:last-child .value")));
		String last = moment();
		drag(0);
		this.browser.await("another moment", () -> !last.equals(moment()));
		drag(1.01);
		this.browser.awaitText(STORE_ROW, "200.0");
		this.browser.run("document.getElementById('moment').focus()");
		this.browser.press(Keys.HOME);
		this.browser.await("the first moment", () -> !"200.0".equals(this.browser.text(STORE_ROW)));
	}

	@Test
	void showsAuthors() {
		this.page.open();
		String first = this.page.leader();
		String second = LinePage.other(first);
		awaitBatches(first, 3);
		this.page.click(first, "kill");
		this.page.awaitLeader(second);
		this.page.click(first, "start");
		awaitBatches(second, 3);
		choose("line/batch");
		this.browser.awaitText("#history-changes tr:first-child .author", second);
		this.browser.awaitText("#history-changes", ".* " + first + " .*");
		this.browser.awaitText(".timeline ul", ".*press-1.*");
		this.browser.awaitText(".timeline ul", ".*press-2.*");
		assertThat(this.browser.count("#history svg line[class^=lane]")).isGreaterThan(5);
		String last = moment();
		drag(0.8);
		this.browser.await("another moment", () -> !last.equals(moment()));
		this.browser.awaitText("#history-store [data-key='line/batch'] .value", ".*\"number\":\\d+.*");
		assertThat(this.browser.run("""
				const row = document.querySelector('#history-changes .current').getBoundingClientRect();
				const box = document.querySelector('#history-changes').closest('.scroll').getBoundingClientRect();
				return row.top >= box.top && row.bottom <= box.bottom;""")).as("current row in view").isEqualTo(true);
		this.browser.screenshot("control-room-history", ".history", ".history");
		this.browser.click("#history-refresh");
		assertThat(this.browser.run("return document.getElementById('history-key').selectedOptions[0].text"))
			.isEqualTo("line/batch");
	}

	@Test
	void listsKeysAndChangesOfEarlierStart(@TempDir Path directory) {
		this.browser.emulate(1280, 1000, false);
		try (ConfigurableApplicationContext room = start(directory)) {
			this.browser.open(LinePage.url(room));
			this.page.awaitLive();
			moveSetpoint(Keys.END, "200.0");
			this.browser.run("document.getElementById('history-key').focus()");
			new Select(this.browser.element("#history-key")).selectByVisibleText("line/setpoint");
			this.browser.awaitText("#history-changes tr:first-child .value", "200.0");
			this.browser.click(LinePage.row("line/setpoint") + " [data-action=delete]");
			this.browser.awaitCount(LinePage.row("line/setpoint"), 0);
			this.browser.awaitText("#history-changes tr:first-child .value", "deleted");
		}
		this.browser.awaitText("#offline .banner", "The control room is offline\\..*");
		this.browser.open("about:blank");
		assertThat(this.browser.problems()).allMatch((problem) -> problem.contains("ERR_CONNECTION_REFUSED"));
		try (ConfigurableApplicationContext room = start(directory)) {
			this.browser.open(LinePage.url(room));
			this.page.awaitLive();
			assertThat(this.browser.count("#history-key option")).isOne();
			this.browser.click("#history-refresh");
			this.browser.await("the deleted key", () -> this.browser.count("#history-key option") > 1);
			new Select(this.browser.element("#history-key")).selectByVisibleText("line/setpoint");
			this.browser.awaitText("#history-changes tr:first-child .value", "deleted");
			this.browser.awaitText("#history-changes tr:first-child .author", "control-room");
			this.browser.click("#moment-previous");
			this.browser.awaitText(STORE_ROW, "200.0");
			this.browser.open("about:blank");
		}
	}

	private static ConfigurableApplicationContext start(Path directory) {
		return ControlRoomTests.run(Ports.free(), directory, "--sample.presses=");
	}

	private void awaitBatches(String press, int count) {
		this.page.awaitBatch(press);
		for (int i = 0; i < count; i++) {
			String batch = Objects.requireNonNull(this.browser.text(LinePage.row("line/batch") + " .value"));
			this.browser.await("another batch",
					() -> !batch.equals(this.browser.text(LinePage.row("line/batch") + " .value")));
		}
	}

	private void moveSetpoint(Keys key, String expected) {
		this.browser.run("document.getElementById('setpoint').focus()");
		this.browser.press(key);
		String degrees = this.browser.property("#setpoint", "value");
		this.page.awaitSetpoint(degrees.contains(".") ? degrees : degrees + ".0");
		assertThat(this.browser.text("#setpoint-value")).matches(expected);
	}

	private void choose(String key) {
		this.browser.awaitCount(LinePage.row(key), 1);
		this.browser.run("document.getElementById('history-key').focus()");
		new Select(this.browser.element("#history-key")).selectByVisibleText(key);
		this.browser.awaitText("#changes-title", "\\d+ changes of " + key);
		this.browser.awaitCount("#store-moment", 1);
	}

	private void drag(double part) {
		WebElement slider = this.browser.element("#moment");
		int width = slider.getSize().getWidth();
		double min = Double.parseDouble(this.browser.property("#moment", "min"));
		double max = Double.parseDouble(this.browser.property("#moment", "max"));
		double now = (Double.parseDouble(this.browser.property("#moment", "value")) - min) / (max - min);
		// The thumb is 16 pixels wide, and stays within the slider.
		int from = (int) ((now - 0.5) * (width - 16));
		int to = (int) ((part - 0.5) * (width - 16));
		this.browser.actions()
			.moveToElement(slider, from, 0)
			.clickAndHold()
			.moveByOffset((to - from) / 2, 0)
			.moveByOffset(to - from - (to - from) / 2, 0)
			.release()
			.perform();
	}

	private String moment() {
		return Objects.requireNonNull(this.browser.text("#store-moment"));
	}

}
