package io.statestore.sample.room;

import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.statestore.sample.SampleApplication;
import io.statestore.test.Browser;
import io.statestore.test.BrowserExtension;
import io.statestore.test.JavaProcess;
import io.statestore.test.RequiresProgram;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;

import static org.assertj.core.api.Assertions.assertThat;

/** The other buttons of the page, in a real browser, with real presses. */
@Tag("long")
@Timeout(180)
@Order(BrowserExtension.LAST)
@ExtendWith(LineExtension.class)
@RequiresProgram({ "chromium", "chromedriver" })
@Tag("nightly")
class BrowserActionTests {

	private final Browser browser;

	private final LinePage page;

	BrowserActionTests(Browser browser, LinePage page) {
		this.browser = browser;
		this.page = page;
	}

	@BeforeEach
	void open() {
		this.page.open();
	}

	@Test
	void anotherPressTakesOverFromKilledLeader() {
		String killed = this.page.leader();
		this.page.click(killed, "kill");
		this.page.awaitState(killed, "Ended");
		this.browser.awaitCount(LinePage.tile(killed) + " [data-action=pause]", 0);
		this.page.awaitLeader(LinePage.other(killed));
		this.page.awaitEntry("leader",
				LinePage.other(killed) + " leads the line, [\\d,]+ ms after " + killed + " was killed\\.");
		assertThat(this.page.takeover()).isPositive();
		this.page.click(killed, "start");
		this.page.awaitState(killed, "Running");
		this.page.awaitEntry("change", killed + " was started\\.");
		assertThat(this.page.leader()).isEqualTo(LinePage.other(killed));
	}

	@Test
	void anotherPressTakesOverFromDisconnectedLeader() {
		String cut = this.page.leader();
		this.page.click(cut, "cut");
		this.browser.awaitText(LinePage.tile(cut) + " .states", "Connection cut .*");
		this.page.awaitLeader(LinePage.other(cut));
		this.browser.awaitText(LinePage.tile(cut) + " .states", "Running");
		this.page.awaitEntry("change", cut + " can connect again\\.");
	}

	@Test
	void resignationBeginsAnotherTerm() {
		String token = Objects.requireNonNull(this.browser.text("#leader-token"));
		this.browser.click("#resign");
		this.page.awaitEntry("change", " was told to resign\\.");
		this.browser.await("another token", () -> {
			String next = this.browser.text("#leader-token");
			return next != null && next.matches("\\d+:\\d+") && !next.equals(token);
		});
	}

	@Test
	void leaseCountsDownAndIsRenewed() {
		this.browser
			.run("""
					window.values = [];
					window.sampling = setInterval(() => window.values.push(document.getElementById('lease')?.value ?? 0), 100);""");
		this.browser.await("a renewal after a countdown", () -> Boolean.TRUE.equals(this.browser.run("""
				const down = window.values.some((value, i) => i > 0 && value < window.values[i - 1]);
				const up = window.values.some((value, i) => i > 0 && value > window.values[i - 1]);
				return down && up;""")));
		this.browser.run("clearInterval(window.sampling)");
		assertThat(this.browser.text("#lease-seconds")).matches("\\d\\.\\d s|expired");
	}

	@Test
	void draggedSliderMovesOnAllOpenPages() {
		String window = this.browser.openWindow();
		this.page.open();
		double degrees = dragSlider();
		this.page.awaitSetpoint(Double.toString(degrees));
		String second = this.browser.window();
		this.browser.use(window);
		this.page.awaitSetpoint(Double.toString(degrees));
		this.browser.run("document.getElementById('setpoint').focus()");
		this.browser.press(Keys.ARROW_LEFT, Keys.ARROW_LEFT);
		this.browser.use(second);
		this.page.awaitSetpoint(Double.toString(degrees - 1));
		this.browser.closeWindow(window);
	}

	@Test
	void sliderStaysWhereItWasDraggedWhileStoreIsSlow() {
		this.browser.protocol("Network.enable", Map.of());
		delayRequests(3000);
		try {
			double degrees = dragSlider();
			this.browser
				.run("""
						window.positions = [];
						setInterval(() => window.positions.push(document.getElementById('setpoint').valueAsNumber), 20);""");
			this.page.awaitSetpoint(Double.toString(degrees));
			assertThat((List<?>) this.browser.run("return window.positions")).hasSizeGreaterThan(10)
				.allSatisfy((position) -> assertThat(((Number) position).doubleValue()).isEqualTo(degrees));
		}
		finally {
			delayRequests(0);
			this.browser.protocol("Network.disable", Map.of());
		}
	}

	private void delayRequests(int millis) {
		this.browser.protocol("Network.emulateNetworkConditions",
				Map.of("offline", false, "latency", millis, "downloadThroughput", -1, "uploadThroughput", -1));
	}

	/** Drags the slider to the right of its middle and returns its position. */
	private double dragSlider() {
		double[] degrees = new double[1];
		// The page's layout can change after the slider's position is measured, so that
		// the mouse misses it.
		this.browser.await("dragged slider", () -> {
			WebElement slider = this.browser.element("#setpoint");
			int width = slider.getSize().getWidth();
			this.browser.actions()
				.moveToElement(slider)
				.clickAndHold()
				.moveByOffset(width / 8, 0)
				.moveByOffset(width / 8, 0)
				.perform();
			degrees[0] = Double.parseDouble(this.browser.property("#setpoint", "value"));
			this.browser.actions().release().perform();
			return degrees[0] >= 170 && degrees[0] <= 180;
		});
		return degrees[0];
	}

	@Test
	void showsPressStartedElsewhere() {
		try (JavaProcess press = JavaProcess.of(SampleApplication.class)
			.arguments("--sample.name=press-3", "--statestore.port=" + this.page.brokerPort())
			.start()) {
			this.page.awaitState("press-3", "Started elsewhere");
			assertThat(this.browser.count(LinePage.tile("press-3") + " button")).isZero();
			press.kill();
		}
		this.browser.awaitCount(LinePage.tile("press-3"), 0);
		this.page.awaitEntry("failure", "press-3 has left the line\\.");
	}

}
