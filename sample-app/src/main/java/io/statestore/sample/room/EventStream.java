package io.statestore.sample.room;

import java.io.IOException;
import java.time.Duration;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.SmartLifecycle;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** Accepts the server-sent events of a page, and updates all pages at an interval. */
@Controller
class EventStream implements SmartLifecycle {

	static final int MAX_PAGES = 200;

	private final EventPages pages;

	private final Duration interval;

	private volatile @Nullable ThreadPoolTaskScheduler scheduler;

	EventStream(EventPages pages, @Value("${sample.page-interval:200ms}") Duration interval) {
		this.pages = pages;
		this.interval = interval;
	}

	@GetMapping("/events")
	void open(@RequestParam(defaultValue = "0") long log, HttpServletRequest request, HttpServletResponse response)
			throws IOException {
		if (!isRunning() || this.pages.size() >= MAX_PAGES) {
			response.sendError(HttpServletResponse.SC_SERVICE_UNAVAILABLE);
			return;
		}
		response.setContentType("text/event-stream;charset=UTF-8");
		AsyncContext context = request.startAsync();
		context.setTimeout(0);
		EventOutput output = new EventOutput(context, response.getOutputStream());
		this.pages.add(new EventPage(output, log));
		response.getOutputStream().setWriteListener(output);
	}

	@Override
	public void start() {
		ThreadPoolTaskScheduler ticks = new ThreadPoolTaskScheduler();
		ticks.setThreadNamePrefix("room-page-");
		ticks.setDaemon(true);
		ticks.initialize();
		ticks.scheduleAtFixedRate(this.pages::tick, this.interval);
		this.scheduler = ticks;
	}

	/** Ends all connections before the web server waits for its requests. */
	@Override
	public void stop() {
		ThreadPoolTaskScheduler ticks = this.scheduler;
		this.scheduler = null;
		if (ticks != null) {
			ticks.shutdown();
		}
		this.pages.close();
	}

	@Override
	public boolean isRunning() {
		return this.scheduler != null;
	}

}
