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

	/** The page has no entries, or those of an earlier start. */
	private static final long NO_ENTRY = -1;

	private final EventPages pages;

	private final PageRenderer renderer;

	private final Duration interval;

	private volatile @Nullable ThreadPoolTaskScheduler scheduler;

	EventStream(EventPages pages, PageRenderer renderer, @Value("${sample.page-interval:200ms}") Duration interval) {
		this.pages = pages;
		this.renderer = renderer;
		this.interval = interval;
	}

	@GetMapping("/events")
	void open(@RequestParam(defaultValue = "0") long log, @RequestParam(defaultValue = "") String run,
			HttpServletRequest request, HttpServletResponse response) throws IOException {
		response.setContentType("text/event-stream;charset=UTF-8");
		AsyncContext context = request.startAsync();
		context.setTimeout(0);
		EventOutput output = new EventOutput(context, response.getOutputStream());
		if (this.pages.tryAdd(new EventPage(output, run.equals(this.renderer.run()) ? log : NO_ENTRY))) {
			response.getOutputStream().setWriteListener(output);
		}
		else {
			response.setStatus(HttpServletResponse.SC_SERVICE_UNAVAILABLE);
			context.complete();
		}
	}

	@Override
	public void start() {
		ThreadPoolTaskScheduler ticks = new ThreadPoolTaskScheduler();
		ticks.setThreadNamePrefix("room-page-");
		ticks.setDaemon(true);
		ticks.initialize();
		this.pages.open();
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
