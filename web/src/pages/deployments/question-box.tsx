import { unwrap } from '@mooring/client';
import { client, type Prompt, sentenceOf, useChange } from '../../api.ts';
import { usePermissions } from '../../permissions.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Time } from '../../ui/time.tsx';

/** A question that blocks a deployment: an approval, or whether data may be left behind. */
export function QuestionBox({ id, prompt }: { id: string; prompt: Prompt }) {
  const may = usePermissions();
  const answer = useChange((response: string) => {
    const body = { promptId: prompt.id, response };
    return unwrap(client.POST('/api/deployments/{id}/build/respond', { params: { path: { id } }, body }));
  });
  return (
    <Notice kind="warn">
      <h2 className="font-semibold">Answer required</h2>
      <p className="mt-1 whitespace-pre-wrap text-ink">{prompt.question}</p>
      <p className="mt-1 text-ink">
        Without an answer, Mooring chooses “{prompt.byDefault}” <Time at={prompt.expiresAt} />.
      </p>
      {may('deployment:write') && (
        <div className="mt-3 flex flex-wrap gap-2">
          {prompt.options.map((option) => (
            <Button
              key={option}
              className="text-ink capitalize"
              busy={answer.isPending && answer.variables === option}
              disabled={answer.isPending}
              onClick={() => answer.mutate(option)}
            >
              {option}
            </Button>
          ))}
        </div>
      )}
      {answer.error && (
        <p role="alert" className="mt-2 text-danger">
          {sentenceOf(answer.error)}
        </p>
      )}
    </Notice>
  );
}
