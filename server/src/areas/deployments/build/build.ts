import { formatBytes } from '../../../lib/tree-size.ts';
import { appService } from '../model/stack.ts';
import { appArtifact } from '../stack/app.ts';
import { buildServices } from './services.ts';
import type { Built } from '../model/built.ts';
import { buildFolder } from './folder.ts';
import { buildImage } from './image.ts';
import { whileThereIsRoom } from '../source/disk.ts';
import type { Step, StepContext } from '../model/step.ts';

/** Builds the artifact: an image if there is a container engine, or else a folder. */
export const build: Step = {
  name: 'build',
  deadlineMs: ({ parts }) => parts.timeouts.buildMs,
  async run(context) {
    const { stack, config } = context;
    sendEdge(context);
    if (!stack.isApp) return whileThereIsRoom(context, buildServices);
    const recipe = context.results.detect!;
    const built = await whileThereIsRoom<Built>(context, (bound) =>
      recipe.image ? buildImage(bound, recipe, recipe.image) : buildFolder(bound, recipe),
    );
    await stack.states.set(appService, appArtifact(built, config, recipe));
    context.log(`The release takes ${formatBytes(built.bytes)}`);
    return built;
  },
};

/** The first deployment to a server sends the edge there, which may take longer than the build. An error is reported
 * by the step that needs the edge, which tries again. */
function sendEdge({ parts: { server, edge }, log }: StepContext): void {
  if (server) edge.ensure((what) => log(what)).catch(() => {});
}
