package io.statestore.sample.room;

import java.io.IOException;
import java.util.Objects;

import io.statestore.sample.Ports;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.openqa.selenium.Keys;

import static org.assertj.core.api.Assertions.assertThat;

/** The page of three brokers, in a real browser. */
@Timeout(180)
@TestInstance(Lifecycle.PER_CLASS)
@Order(BrowserExtension.LAST)
@ExtendWith(BrowserExtension.class)
class BrowserThreeBrokersTests {

	private final Browser browser;

	private final LinePage page;

	BrowserThreeBrokersTests(Browser browser) {
		this.browser = browser;
		this.page = LinePage.start(browser, Screenshots.areForDocumentation() ? 1883 : Ports.free(6),
				"--sample.brokers=3");
	}

	@BeforeEach
	void open() {
		this.page.open();
		awaitRoles(1, 2, 0);
	}

	@AfterAll
	void close() throws IOException {
		this.browser.open("about:blank");
		this.page.close();
	}

	@Test
	void storeSurvivesEndOfLeadingBroker() {
		assertThat(this.browser.count("#restart-broker, #history-key")).isZero();
		assertThat(this.browser.text(".history .note")).startsWith("Three brokers keep no history.");
		String killed = Objects.requireNonNull(this.browser.text("[data-broker]:has(.leading) h3"));
		String setPoint = Objects.requireNonNull(this.browser.text("#set-point-value"));
		click(killed, "kill");
		awaitRole(killed, "Stopped");
		awaitRoles(1, 1, 1);
		this.page.awaitEntry("failure", killed + " was killed\\.");
		this.page.awaitEntry("failure", "No connection to the store\\.");
		this.page.awaitEntry("leader", "broker-. leads the brokers in term \\d+\\.");
		this.page.awaitEntry("change", "The store accepts writes, [\\d,]+ ms after " + killed + " was killed\\.");
		this.browser.awaitText("#broker", "Store connected");
		this.browser.awaitCount("#banner .banner", 0);
		assertThat(this.browser.run("return document.activeElement.ariaLabel")).isEqualTo("Start " + killed);
		assertThat(this.browser.text("#set-point-value")).isEqualTo(setPoint);
		this.browser.run("document.getElementById('set-point').focus()");
		this.browser.press(Keys.ARROW_RIGHT);
		this.page.awaitSetPoint(Double.toString(Double.parseDouble(setPoint) + 0.5));
		checkLook();
		click(killed, "start");
		awaitRole(killed, "Follower");
		this.page.awaitEntry("change", killed + " was started\\.");
	}

	/** All roles are words, and readable on a phone and in both color schemes. */
	private void checkLook() {
		this.browser.screenshot("control-room-brokers", "#brokers", "#brokers");
		for (int width : new int[] { 1280, 320 }) {
			for (boolean dark : new boolean[] { true, false }) {
				this.browser.emulate(width, 1000, dark);
				assertThat(this.browser.property(":root", "scrollWidth")).isEqualTo(String.valueOf(width));
				this.browser.run("document.getAnimations().forEach((animation) => animation.finish())");
				assertThat(Contrast.failures(this.browser)).isEmpty();
				this.browser.screenshot("brokers-" + width + (dark ? "-dark" : "-light"), ":root", "body");
			}
		}
		assertThat(AccessibilityTree.of(this.browser).names("article")).contains("broker-1", "broker-2", "broker-3");
	}

	@Test
	void bannerShowsThatMostBrokersAreStopped() {
		click("broker-1", "kill");
		awaitRole("broker-1", "Stopped");
		awaitRoles(1, 1, 1);
		click("broker-2", "kill");
		awaitRole("broker-3", "Waiting");
		this.browser.awaitText("#banner .banner",
				"No connection to the store\\. It needs two of its three brokers\\..*");
		this.browser.awaitText("#broker", "No connection");
		click("broker-1", "start");
		awaitRoles(1, 1, 1);
		this.browser.awaitCount("#banner .banner", 0);
		this.page.awaitEntry("change", "The store is connected again\\.");
		click("broker-2", "start");
	}

	private void click(String broker, String action) {
		this.browser.click(tile(broker) + " [data-action=" + action + ']');
	}

	private void awaitRole(String broker, String role) {
		this.browser.awaitText(tile(broker) + " [data-role]", role);
	}

	private static String tile(String broker) {
		return "[data-broker='" + broker + "']";
	}

	private void awaitRoles(int leaders, int followers, int stopped) {
		this.browser.awaitCount("[data-broker] .leading", leaders);
		this.browser.awaitCount("[data-broker] .following", followers);
		this.browser.awaitCount("[data-broker] .ended", stopped);
	}

}
