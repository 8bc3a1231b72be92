package io.statestore.sample.room;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

import io.statestore.sample.Ports;
import io.statestore.test.Browser;
import io.statestore.test.Screenshots;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.util.FileSystemUtils;

/** The page of a control room with two presses, from the user's point of view. */
final class LinePage implements AutoCloseable {

	private final Browser browser;

	private final ConfigurableApplicationContext room;

	private final Path directory;

	private final int brokerPort;

	/** Creates the page of a running control room. */
	LinePage(Browser browser, ConfigurableApplicationContext room, Path directory, int brokerPort) {
		this.browser = browser;
		this.room = room;
		this.directory = directory;
		this.brokerPort = brokerPort;
	}

	/** Starts a control room with an empty store. */
	static LinePage start(Browser browser) {
		try {
			Path directory = Files.createTempDirectory("line");
			int port = Screenshots.areForDocumentation() ? 1883 : Ports.free();
			return new LinePage(browser, ControlRoomTests.run(port, directory), directory, port);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Returns the URL of a room's page. */
	static String url(ConfigurableApplicationContext room) {
		return "http://localhost:" + room.getEnvironment().getRequiredProperty("local.server.port") + '/';
	}

	String url() {
		return url(this.room);
	}

	int brokerPort() {
		return this.brokerPort;
	}

	/** Opens the page and waits until it is live and both presses are running. */
	void open() {
		this.browser.emulate(1280, 1000, false);
		this.browser.open(url());
		awaitLine();
	}

	void awaitLine() {
		awaitLive();
		awaitState("press-1", "Running");
		awaitState("press-2", "Running");
		this.browser.awaitText("#leader-name", "press-.");
		this.browser.awaitText("#leader-token", "\\d+:\\d+");
	}

	void awaitLive() {
		this.browser.awaitCount(":root[data-live=true]", 1);
	}

	/** Waits until the charts are full and no longer show how the presses heat up. */
	void awaitSteadyTemperatures() {
		this.browser.await("full charts", () -> Boolean.TRUE.equals(this.browser.run("""
				return [...document.querySelectorAll('.chart')].every((chart) =>
					chart.querySelector('.line').points.length === 60 && /lowest 1[4-9]/.test(chart.ariaLabel));""")));
	}

	String leader() {
		return Objects.requireNonNull(this.browser.text("#leader-name"));
	}

	static String other(String press) {
		return press.equals("press-1") ? "press-2" : "press-1";
	}

	void awaitLeader(String press) {
		this.browser.awaitText("#leader-name", press);
		this.browser.awaitCount(tile(press) + " .leads", 1);
	}

	void awaitState(String press, String state) {
		this.browser.awaitText(tile(press) + " [data-state]", state);
	}

	/** Clicks one of a press's buttons. */
	void click(String press, String action) {
		this.browser.click(tile(press) + " [data-action=" + action + ']');
	}

	static String tile(String press) {
		return "[data-press='" + press + "']";
	}

	/** Waits until a press has packed a batch. */
	void awaitBatch(String press) {
		this.browser.awaitText("#batch", "\\d+ by " + press);
	}

	long rejected() {
		return Long.parseLong(Objects.requireNonNull(this.browser.text("#rejected")));
	}

	/** Returns the duration of the last takeover in milliseconds. */
	long takeover() {
		return Long.parseLong(Objects.requireNonNull(this.browser.text("#takeover")).replace(",", ""));
	}

	/** Waits until both the slider and the number show a setpoint. */
	void awaitSetpoint(String degrees) {
		this.browser.awaitText("#setpoint-value", degrees);
		this.browser.await("slider at " + degrees,
				() -> Double.parseDouble(this.browser.property("#setpoint", "value")) == Double.parseDouble(degrees));
	}

	/** Waits for an entry of the event log. */
	void awaitEntry(String kind, String regex) {
		this.browser.await("entry " + regex, () -> Boolean.TRUE.equals(this.browser.run("""
				const texts = [...document.querySelectorAll(`#log [data-kind=${arguments[0]}] .text`)];
				return texts.some((text) => new RegExp(arguments[1]).test(text.textContent));""", kind, regex)));
	}

	@Override
	public void close() throws IOException {
		try {
			this.room.close();
		}
		finally {
			FileSystemUtils.deleteRecursively(this.directory);
		}
	}

}
