package io.statestore.sample.room;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;

import io.statestore.client.history.StateHistory;
import io.statestore.protocol.StoredChange;
import io.statestore.sample.Ports;
import io.statestore.test.Browser;
import io.statestore.test.BrowserExtension;
import io.statestore.test.RequiresProgram;
import io.statestore.test.Screenshots;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Keys;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * The control room with three brokers in separate processes. Tests with and without a
 * browser share the brokers, because starting them takes a few seconds.
 */
@Timeout(180)
@TestInstance(Lifecycle.PER_CLASS)
@Order(BrowserExtension.LAST)
@Tag("long")
class ThreeBrokersTests {

	private final int port = Screenshots.areForDocumentation() ? 1883 : Ports.free(6);

	private ConfigurableApplicationContext room;

	private Line line;

	private LineActions control;

	private Path directory;

	@BeforeAll
	void start(@TempDir Path directory) {
		this.directory = directory;
		open();
	}

	private void open() {
		this.room = ControlRoomTests.run(this.port, this.directory, "--sample.brokers=3");
		this.line = this.room.getBean(Line.class);
		this.control = this.room.getBean(LineActions.class);
	}

	@BeforeEach
	void awaitBrokers() {
		await(() -> this.line.isAvailable() && count(Brokers.State.LEADER) == 1 && count(Brokers.State.FOLLOWER) == 2);
		await(() -> this.line.setpoint() != null && batch() > 0);
	}

	@AfterAll
	void close() {
		if (this.room != null) {
			this.room.close();
		}
	}

	@Test
	void storeAcceptsWritesAfterLeaderWasKilled() {
		this.control.changeSetpoint(140);
		await(() -> Double.valueOf(140).equals(this.line.setpoint()));
		String killed = name(Brokers.State.LEADER);
		this.control.killBroker(killed);
		assertThat(state(killed).role()).isEqualTo(Brokers.State.STOPPED);
		long batch = batch();
		assertThatIllegalStateException().isThrownBy(() -> this.control.killBroker(killed))
			.withMessage(killed + " is not running. Start it first");
		await(() -> this.line.isAvailable() && count(Brokers.State.LEADER) == 1);
		assertThat(state(killed).role()).isEqualTo(Brokers.State.STOPPED);
		assertThat(this.line.setpoint()).isEqualTo(140);
		this.control.changeSetpoint(160);
		await(() -> Double.valueOf(160).equals(this.line.setpoint()));
		await(() -> batch() > batch);
		await(() -> has(Line.CHANGE, "The store accepts writes, [\\d,]+ ms after " + killed + " was killed\\."));
		assertThat(has(Line.FAILURE, killed + " was killed\\.")).isTrue();
		assertThat(has(Line.FAILURE, "No connection to the store\\.")).isTrue();
		assertThat(has(Line.NEW_LEADER, name(Brokers.State.LEADER) + " leads the brokers in term \\d+\\.")).isTrue();
		this.room.getBean(Brokers.class).get(killed).start();
		await(() -> state(killed).role() == Brokers.State.FOLLOWER);
		assertThatIllegalStateException().isThrownBy(() -> this.room.getBean(Brokers.class).get(killed).start())
			.withMessage(killed + " is running already");
	}

	@Test
	void refusesSingleBrokerActions() {
		assertThatIllegalStateException().isThrownBy(this.room.getBean(LineBroker.class)::restart)
			.withMessageContaining("three brokers");
		assertThatIllegalStateException().isThrownBy(() -> this.control.killBroker("broker-4"))
			.withMessageContaining("broker-4 does not exist");
	}

	@Test
	void storeAndHistorySurviveControlRoomRestart() {
		this.control.changeSetpoint(123);
		long batch = batch();
		this.room.close();
		open();
		awaitBrokers();
		assertThat(this.line.setpoint()).isEqualTo(123);
		assertThat(this.room.getBean(StateHistory.class).changes(Line.SETPOINT)).last()
			.extracting((change) -> change.value().toUtf8(), StoredChange::author)
			.containsExactly("123.0", "control-room");
		await(() -> batch() > batch);
	}

	@Test
	@ExtendWith(LineExtension.class)
	@RequiresProgram({ "chromium", "chromedriver" })
	@Tag("nightly")
	void pageShowsThatStoreSurvivesLeaderKill(Browser browser) {
		LinePage page = page(browser);
		page.open();
		assertThat(browser.count("#restart-broker")).isZero();
		String killed = Objects.requireNonNull(browser.text("[data-broker].leader h3"));
		String setpoint = Objects.requireNonNull(browser.text("#setpoint-value"));
		click(browser, killed, "kill");
		awaitRole(browser, killed, "Stopped");
		awaitRoles(browser, 1, 1, 1);
		page.awaitEntry("failure", killed + " was killed\\.");
		page.awaitEntry("failure", "No connection to the store\\.");
		page.awaitEntry("leader", "broker-. leads the brokers in term \\d+\\.");
		page.awaitEntry("change", "The store accepts writes, [\\d,]+ ms after " + killed + " was killed\\.");
		browser.awaitText("#broker", "Store connected");
		browser.awaitCount("#banner .banner", 0);
		assertThat(browser.run("return document.activeElement.ariaLabel")).isEqualTo("Start " + killed);
		assertThat(browser.text("#setpoint-value")).isEqualTo(setpoint);
		browser.run("document.getElementById('setpoint').focus()");
		browser.press(Keys.ARROW_RIGHT);
		page.awaitSetpoint(Double.toString(Double.parseDouble(setpoint) + 0.5));
		checkLook(browser);
		click(browser, killed, "start");
		awaitRole(browser, killed, "Follower");
		page.awaitEntry("change", killed + " was started\\.");
		browser.open("about:blank");
	}

	/**
	 * Checks that the roles are words and are readable on a phone and in both color
	 * schemes.
	 */
	private static void checkLook(Browser browser) {
		browser.screenshot("control-room-brokers", "#brokers", "#brokers");
		for (int width : new int[] { 1280, 320 }) {
			for (boolean dark : new boolean[] { true, false }) {
				browser.emulate(width, 1000, dark);
				assertThat(browser.property(":root", "scrollWidth")).isEqualTo(String.valueOf(width));
				browser.run("document.getAnimations().forEach((animation) => animation.finish())");
				assertThat(Contrast.failures(browser)).isEmpty();
				browser.screenshot("brokers-" + width + (dark ? "-dark" : "-light"), ":root", "body");
			}
		}
		assertThat(AccessibilityTree.of(browser).names("article")).contains("broker-1", "broker-2", "broker-3");
	}

	@Test
	@ExtendWith(LineExtension.class)
	@RequiresProgram({ "chromium", "chromedriver" })
	@Tag("nightly")
	void bannerShowsThatStoreNeedsTwoBrokers(Browser browser) {
		LinePage page = page(browser);
		page.open();
		click(browser, "broker-1", "kill");
		awaitRole(browser, "broker-1", "Stopped");
		awaitRoles(browser, 1, 1, 1);
		click(browser, "broker-2", "kill");
		awaitRole(browser, "broker-3", "Waiting");
		browser.awaitText("#banner .banner", "No connection to the store\\. It needs two of its three brokers\\..*");
		browser.awaitText("#broker", "No connection");
		click(browser, "broker-1", "start");
		awaitRoles(browser, 1, 1, 1);
		browser.awaitCount("#banner .banner", 0);
		page.awaitEntry("change", "The store is connected again\\.");
		click(browser, "broker-2", "start");
		awaitRoles(browser, 1, 2, 0);
		browser.open("about:blank");
	}

	private LinePage page(Browser browser) {
		return new LinePage(browser, this.room, this.directory, this.port);
	}

	private static void click(Browser browser, String broker, String action) {
		browser.click(tile(broker) + " [data-action=" + action + ']');
	}

	private static void awaitRole(Browser browser, String broker, String role) {
		browser.awaitText(tile(broker) + " [data-role]", role);
	}

	private static String tile(String broker) {
		return "[data-broker='" + broker + "']";
	}

	private static void awaitRoles(Browser browser, int leaders, int followers, int stopped) {
		browser.awaitCount("[data-broker].leader", leaders);
		browser.awaitCount("[data-broker].follower", followers);
		browser.awaitCount("[data-broker].stopped", stopped);
	}

	private static void await(Callable<Boolean> condition) {
		Awaitility.await().atMost(Duration.ofSeconds(60)).until(condition);
	}

	/** Returns the number of the latest batch; 0 if there is none. */
	private long batch() {
		return Line.json(this.line.keys().get(Line.BATCH)).path("number").asLong(0);
	}

	private long count(String role) {
		return this.room.getBean(Brokers.class)
			.states()
			.stream()
			.filter((broker) -> broker.role().equals(role))
			.count();
	}

	private String name(String role) {
		return this.room.getBean(Brokers.class)
			.states()
			.stream()
			.filter((broker) -> broker.role().equals(role))
			.findFirst()
			.orElseThrow()
			.name();
	}

	private Brokers.State state(String name) {
		return this.room.getBean(Brokers.class)
			.states()
			.stream()
			.filter((broker) -> broker.name().equals(name))
			.findFirst()
			.orElseThrow();
	}

	private boolean has(String kind, String regex) {
		return this.line.log().stream().anyMatch((entry) -> entry.kind().equals(kind) && entry.text().matches(regex));
	}

}
